import { useState } from 'react';
import { useFoundTerminals } from '../data/terminal-choices.ts';
import { pageTexts } from '../texts/page-texts.ts';
import { Button } from './button.tsx';
import { Field } from './field.tsx';

const words = pageTexts.terminalPicker;

export interface TerminalPickerProps {
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}

/** Some of the terminals, found by their names. Those that are chosen stay so while others are searched for. */
export const TerminalPicker = ({ chosen, onChange }: TerminalPickerProps) => {
  const [search, setSearch] = useState('');
  const { data } = useFoundTerminals(search);
  return (
    <fieldset className="grid gap-2">
      <legend className="field-name mb-1">{words.chosen(chosen.length)}</legend>
      <Field
        label={words.search}
        name="terminal_ids"
        value={search}
        maxLength={255}
        onChange={({ target }) => setSearch(target.value)}
        onKeyDown={(event) => (event.key === 'Enter' ? event.preventDefault() : undefined)}
      />
      <div className="event-boxes">
        {data?.data.length === 0 ? <p className="none">{words.noMatch}</p> : null}
        <div>
          {data?.data.map(({ id, name, login }) => (
            <label key={id} className="event-box picked">
              <input
                type="checkbox"
                checked={chosen.includes(id)}
                onChange={({ target }) =>
                  onChange(target.checked ? [...chosen, id] : chosen.filter((other) => other !== id))
                }
              />
              <bdi>{name}</bdi> <small className="figure">{login}</small>
            </label>
          ))}
        </div>
      </div>
      {/* One that was deleted since is found by no search. */}
      {chosen.length === 0 ? null : (
        <div>
          <Button onClick={() => onChange([])}>{words.clear}</Button>
        </div>
      )}
    </fieldset>
  );
};
