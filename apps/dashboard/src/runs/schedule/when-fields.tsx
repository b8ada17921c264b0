import { serverNow } from '../../data/server-clock.ts';
import { Check } from '../../parts/check.tsx';
import { Field, FieldGroup, Select } from '../../parts/field.tsx';
import { ZoneField } from '../../parts/zone-field.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';
import { repeats, toCron, type Draft } from './draft.ts';
import { NextTimes } from './next-times.tsx';
import { toCronWords, toNextTimes } from './times.ts';

const words = pageTexts.schedules;

const dayName = new Intl.DateTimeFormat(texts.locale, { weekday: 'long', timeZone: 'UTC' });
/** From Monday to Sunday, as cron numbers them. The fourth day of 1970 was a Sunday. */
const days = [1, 2, 3, 4, 5, 6, 0].map((day) => ({ day, name: dayName.format((day + 3) * 86_400_000) }));

export interface WhenFieldsProps {
  draft: Draft;
  change: (part: Partial<Draft>) => void;
}

const Days = ({ draft, change }: WhenFieldsProps) => (
  <FieldGroup label={words.days} name="days" className="grid grid-cols-2 gap-x-3">
    {days.map(({ day, name }) => (
      <Check
        key={day}
        label={name}
        isOn={draft.days.includes(day)}
        onChange={(isOn) => change({ days: isOn ? [...draft.days, day] : draft.days.filter((other) => other !== day) })}
      />
    ))}
  </FieldGroup>
);

/** What the fields mean: in words, and the times that come. */
const Preview = ({ draft }: { draft: Draft }) => {
  const cron = toCron(draft);
  const times = toNextTimes(cron, draft.zone, serverNow());
  return (
    <div aria-live="polite" className="grid gap-1">
      <p className="field-name">{words.preview}</p>
      {times.length === 0 ? (
        <p className="none">–</p>
      ) : (
        <>
          <p>{toCronWords(cron)}</p>
          <NextTimes times={times} zone={draft.zone} />
        </>
      )}
    </div>
  );
};

/** When it runs: on days at a time, or by an expression. */
export const WhenFields = ({ draft, change }: WhenFieldsProps) => (
  <>
    <Select
      label={words.repeat}
      name="repeat"
      value={draft.repeat}
      onChange={({ target }) => {
        const repeat = repeats.find((known) => known === target.value) ?? draft.repeat;
        change({ repeat, cron: repeat === 'cron' ? toCron(draft) : draft.cron });
      }}
    >
      {repeats.map((repeat) => (
        <option key={repeat} value={repeat}>
          {words.repeats[repeat]}
        </option>
      ))}
    </Select>
    {draft.repeat === 'days' ? <Days draft={draft} change={change} /> : null}
    <div className="grid grid-cols-2 items-start gap-3">
      {draft.repeat === 'cron' ? (
        <Field
          label={words.cron}
          name="cron"
          note={words.cronNote}
          className="input figure"
          maxLength={100}
          spellCheck={false}
          value={draft.cron}
          onChange={({ target }) => change({ cron: target.value })}
        />
      ) : (
        <Field
          label={words.time}
          name="time"
          type="time"
          required
          value={draft.time}
          onChange={({ target }) => change({ time: target.value })}
        />
      )}
      <ZoneField label={words.zone} name="time_zone" value={draft.zone} onChange={(zone) => change({ zone })} />
    </div>
    <Preview draft={draft} />
  </>
);
