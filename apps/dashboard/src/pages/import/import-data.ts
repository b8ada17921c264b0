/** Checks accounts at the server, and creates their terminals. */
import type { NewTerminal, TerminalCreation } from '@berth/client';
import { useRef } from 'react';
import { useAction } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { toFieldWords } from '../../data/field-words.ts';
import { keys } from '../../data/keys.ts';
import { createRandomText } from '../../data/random.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import type { Account, Column } from './accounts.ts';

const words = pageTexts.imports;

/** What the server says of a line. */
export interface Verdict {
  errors: string[];
  warnings: string[];
  /** null: it was not created. */
  terminalId: string | null;
}

export interface Answer {
  /** The text that was checked: another one has to be checked again. */
  text: string;
  verdicts: ReadonlyMap<number, Verdict>;
  /** Why none can be created although no line is wrong: the plan. */
  refusal: string | undefined;
}

const fields: Readonly<Record<string, Column>> = { server_name: 'server', project_id: 'project' };

const toErrors = (errors: TerminalCreation['errors']): string[] =>
  Object.entries(errors).flatMap(([field, texts]) => {
    const [name = ''] = field.split('.');
    const column = (fields[name] ?? name) as Column;
    return texts.map((text) => toFieldWords(words.columns[column] ?? name, text));
  });

/** A person knows the terminal by its name. */
const withoutId = (warning: string): string => warning.replace(/ \([0-9a-f-]{36}\)/, '');

const send = async (text: string, accounts: readonly Account[], options: { isDry: boolean; key: string }) => {
  const items: NewTerminal[] = accounts.map(({ item }) => item);
  const body = { items, dry_run: options.isDry };
  const { data, response } = await berth.terminals.createMany(body, { idempotencyKey: options.key }).withResponse();
  const verdicts = new Map(
    accounts.map(({ line }, index): [number, Verdict] => {
      const { errors = {}, warnings = [], terminal_id: terminalId = null } = data[index] ?? {};
      return [line, { errors: toErrors(errors), warnings: warnings.map(withoutId), terminalId }];
    }),
  );
  const refusal = response.headers.get('x-error-code') === null ? undefined : response.message;
  return { text, verdicts, refusal } satisfies Answer;
};

const isRight = (answer: Answer, { line }: Account): boolean => answer.verdicts.get(line)?.errors.length === 0;

/** Warnings come only where no line is wrong: those that are right are checked once more without the others. */
const check = async (text: string, accounts: readonly Account[]): Promise<Answer> => {
  const first = await send(text, accounts, { isDry: true, key: createRandomText() });
  const right = accounts.filter((account) => isRight(first, account));
  if (right.length === 0 || right.length === accounts.length) return first;
  const second = await send(text, right, { isDry: true, key: createRandomText() });
  return { ...second, verdicts: new Map([...first.verdicts, ...second.verdicts]) };
};

export interface Import {
  text: string;
  /** Lines without errors. */
  accounts: readonly Account[];
}

/**
 * Passwords are in no variable of a mutation, which its cache would keep: only whether it is a check. One key for one
 * request: sent again after a lost answer, it creates nothing twice.
 */
export const useImport = ({ text, accounts }: Import, onDone: (answer: Answer, isDry: boolean) => void) => {
  const sent = useRef({ of: '', key: '' });
  const toKey = (): string => {
    const of = `${accounts.map(({ line }) => line).join()}\n${text}`;
    if (sent.current.of !== of) sent.current = { of, key: createRandomText() };
    return sent.current.key;
  };
  return useAction({
    run: (isDry: boolean) => (isDry ? check(text, accounts) : send(text, accounts, { isDry, key: toKey() })),
    touches: (isDry) => (isDry ? [] : [keys.terminals.lists, keys.projects.all]),
    onDone,
    isSilentOnError: true,
  });
};
