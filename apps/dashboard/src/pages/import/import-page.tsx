import { MAX_CREATED_TERMINALS } from '@berth/contract/values';
import { Link } from '@tanstack/react-router';
import { useDeferredValue, useMemo, useState } from 'react';
import { useAllProjects } from '../../data/projects.ts';
import { useRegions } from '../../data/regions.ts';
import { Banner } from '../../parts/banner.tsx';
import { Button } from '../../parts/button.tsx';
import { Check } from '../../parts/check.tsx';
import { Failure } from '../../parts/failure.tsx';
import { TextArea } from '../../parts/field.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Card } from '../../parts/surfaces.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { FileField } from '../../parts/file-field.tsx';
import { columns, findTextError, MAX_TEXT_CHARACTERS, readAccounts, type Account } from './accounts.ts';
import { decodeText } from './csv.ts';
import { useImport, type Answer } from './import-data.ts';
import { Preview, toLine, type Line } from './preview.tsx';

const words = pageTexts.imports;

/** What is left of a text after some of its lines were imported. */
const withoutLines = (header: string | undefined, left: readonly Account[]): string =>
  left.length === 0 ? '' : [header, ...left.map(({ raw }) => raw)].filter((raw) => raw !== undefined).join('\n');

interface SourceProps {
  text: string;
  error: string | undefined;
  onText: (text: string) => void;
  onError: (error: string) => void;
}

/** Where the accounts come from: pasted, or a file. A text that is too large is not even shown. */
const Source = ({ text, error, onText, onError }: SourceProps) => {
  const [file, setFile] = useState<File>();
  const read = async (chosen: File): Promise<void> => {
    // At most three bytes a character; a larger file is not read.
    if (chosen.size > 3 * MAX_TEXT_CHARACTERS) return onError(words.tooLarge(MAX_CREATED_TERMINALS));
    try {
      onText(decodeText(new Uint8Array(await chosen.arrayBuffer())));
      setFile(chosen);
    } catch {
      onError(words.unreadable);
    }
  };
  return (
    <Card className="form-card">
      <p className="text-ink-2">{words.lead(MAX_CREATED_TERMINALS)}</p>
      <p className="field-note">
        {words.order} <code>{columns.join(', ')}</code>
      </p>
      <TextArea
        label={words.text}
        note={words.textNote}
        className="input import-text"
        rows={8}
        value={text}
        spellCheck={false}
        autoComplete="off"
        wrap="off"
        onChange={({ target }) => onText(target.value)}
      />
      <FileField label={words.file} file={file} error={error} onFile={(chosen) => void read(chosen)} />
    </Card>
  );
};

/** The lines, and which of them are imported. */
const useLines = (text: string, answer: Answer | undefined) => {
  const { data: regions = [] } = useRegions();
  const { data: projects = [] } = useAllProjects();
  const given = useDeferredValue(text);
  const read = useMemo(() => readAccounts(given, { regions, projects }), [given, regions, projects]);
  const isFresh = answer?.text === given;
  const lines = useMemo(
    () => read.accounts.map((account) => toLine(account, isFresh ? answer.verdicts.get(account.line) : undefined)),
    [read, isFresh, answer],
  );
  return { ...read, lines, isFresh, isBehind: given !== text, regions, projects };
};

interface FootProps {
  /** Those that a click is about. */
  chosen: readonly Line[];
  right: number;
  wrong: number;
  isChecked: boolean;
  isBusy: boolean;
  onSend: (isDry: boolean) => void;
}

const Foot = ({ chosen, right, wrong, isChecked, isBusy, onSend }: FootProps) => (
  <div className="flex flex-wrap items-center gap-3">
    <p className="min-w-0 flex-1" role="status">
      {right + wrong === 0 ? '' : words.summary(right, wrong)}{' '}
      {right > chosen.length ? words.notChosen(right - chosen.length) : ''}{' '}
      {wrong > 0 && right > 0 ? words.leftOut : ''}
    </p>
    <Button
      kind="primary"
      isBusy={isBusy}
      whyNot={chosen.length === 0 ? words.nothing : undefined}
      onClick={() => onSend(!isChecked)}
    >
      {isChecked ? words.create(chosen.length) : words.check(chosen.length)}
    </Button>
  </div>
);

/** The terminals that were created, each with its line. */
const Done = ({ lines, regions, projects }: { lines: readonly Line[] } & Parameters<typeof readAccounts>[1]) => (
  <div className="grid gap-3">
    <Banner
      kind="news"
      action={
        <Link to="/terminals" search={{ sort: 'created_at' }} className="button">
          {words.toTerminals}
        </Link>
      }
    >
      {words.done(lines.length)}
    </Banner>
    <Preview lines={lines} regions={regions} projects={projects} />
  </div>
);

/** Many accounts at once: pasted or from a file, checked line by line, and created by one request. */
export const ImportPage = () => {
  const [text, setText] = useState('');
  const [textError, setTextError] = useState<string>();
  const [answer, setAnswer] = useState<Answer>();
  const [takesKnown, setTakesKnown] = useState(false);
  const [done, setDone] = useState<readonly Line[]>([]);
  const { header, accounts, ignored, lines, isFresh, isBehind, regions, projects } = useLines(text, answer);
  const right = lines.filter(({ errors }) => errors.length === 0);
  const known = right.filter(({ warnings }) => warnings.length > 0);
  const chosen = takesKnown ? right : right.filter(({ warnings }) => warnings.length === 0);
  const take = (next: string): void => {
    const error = findTextError(next);
    setTextError(error);
    if (error === undefined) setText(next);
  };
  const send = useImport({ text, accounts: chosen }, (given, isDry) => {
    const created = chosen.filter(({ line }) => given.verdicts.get(line)?.terminalId);
    if (isDry || created.length === 0) return setAnswer(given);
    setDone(created.map((line) => toLine(line, given.verdicts.get(line.line))));
    setAnswer(undefined);
    setText(
      withoutLines(
        header,
        accounts.filter(({ line }) => !created.some((one) => one.line === line)),
      ),
    );
  });
  const refusal = isFresh ? answer?.refusal : undefined;
  return (
    <>
      <PageHead title={words.title} crumb={<Link to="/terminals">{pageTexts.terminals.title}</Link>} />
      <div className="grid gap-4">
        {done.length > 0 ? <Done lines={done} regions={regions} projects={projects} /> : null}
        <Source text={text} error={textError} onText={take} onError={setTextError} />
        {ignored.length > 0 ? <Banner kind="news">{words.ignored(ignored)}</Banner> : null}
        {send.error === null ? null : <Failure error={send.error} />}
        {refusal === undefined ? null : <Banner kind="failure">{refusal}</Banner>}
        {lines.length === 0 ? null : <Preview lines={lines} regions={regions} projects={projects} />}
        {known.length === 0 ? null : (
          <Check label={words.known} note={words.knownNote} isOn={takesKnown} onChange={setTakesKnown} />
        )}
        <Foot
          chosen={chosen}
          right={right.length}
          wrong={lines.length - right.length}
          isChecked={isFresh}
          isBusy={send.isRunning || isBehind}
          onSend={send.run}
        />
      </div>
    </>
  );
};
