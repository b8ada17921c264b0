import { FieldGroup } from '../field.tsx';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.webhooks;
const notes: Readonly<Record<string, string>> = words.eventNotes;

const types = Object.keys(notes);
const groups = [...new Set(types.map((type) => type.slice(0, type.indexOf('.'))))];

/** Those that stand for it are chosen already. */
const isImplied = (type: string, chosen: ReadonlySet<string>): boolean =>
  chosen.has('*') || (!type.endsWith('*') && chosen.has(`${type.slice(0, type.indexOf('.'))}.*`));

interface BoxProps {
  name: string;
  note: string;
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
}

const Box = ({ name, note, chosen, onChange }: BoxProps) => {
  const isOn = isImplied(name, chosen);
  const toggle = (isChosen: boolean): void => {
    const next = new Set(chosen);
    if (isChosen) next.add(name);
    else next.delete(name);
    onChange(next);
  };
  return (
    <label className="event-box">
      <input
        type="checkbox"
        checked={isOn || chosen.has(name)}
        disabled={isOn && name !== '*'}
        onChange={({ target }) => toggle(target.checked)}
      />
      <code>{name}</code> <small>{note}</small>
    </label>
  );
};

export interface EventChoiceProps {
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
}

/** Which events: all, all of a group, or single ones. */
export const EventChoice = (props: EventChoiceProps) => (
  <FieldGroup label={words.events} name="events" className="field">
    <div className="event-boxes">
      <Box name="*" note={words.allEvents} {...props} />
      {groups.map((group) => (
        <div key={group}>
          <Box name={`${group}.*`} note={words.allOf(group)} {...props} />
          {types
            .filter((type) => type.startsWith(`${group}.`))
            .map((type) => (
              <Box key={type} name={type} note={notes[type] ?? ''} {...props} />
            ))}
        </div>
      ))}
    </div>
  </FieldGroup>
);
