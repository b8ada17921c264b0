import { useId } from 'react';
import { useTerminalChoices } from '../data/terminal-choices.ts';
import { pageTexts } from '../texts/page-texts.ts';
import { Chips } from './chips.tsx';
import { Field, type FieldProps } from './field.tsx';

const words = pageTexts.terminalAccount;
const MAX_OFFERED = 6;

export interface ServerFieldProps extends Omit<FieldProps, 'label' | 'onChange' | 'value'> {
  value: string;
  onChange: (server: string) => void;
  /** A name that is wrong: the servers of other terminals are shown, instead of as what is typed. */
  wrong?: string | undefined;
}

/** The name of a trading server: any, or one that terminals of the account are on. */
export const ServerField = ({ value, onChange, wrong, ...field }: ServerFieldProps) => {
  const id = useId();
  const names = useTerminalChoices().data?.server_names.filter((name) => name !== wrong) ?? [];
  return (
    <>
      <Field
        label={words.server}
        value={value}
        maxLength={128}
        autoComplete="off"
        spellCheck={false}
        list={id}
        onChange={({ target }) => onChange(target.value)}
        {...field}
      />
      <datalist id={id}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {wrong === undefined || names.length === 0 ? null : (
        <div className="grid gap-1">
          <p className="field-note">{words.knownServers}</p>
          <Chips label={words.knownServers} values={names.slice(0, MAX_OFFERED)} chosen={value} onChoose={onChange}>
            {(name) => <bdi>{name}</bdi>}
          </Chips>
        </div>
      )}
    </>
  );
};
