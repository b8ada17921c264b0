import type { AlertRule } from '@berth/client';
import { useId } from 'react';
import { Check } from '../../parts/check.tsx';
import { useNow } from '../../parts/clock.ts';
import { zoneName } from '../../parts/zone.tsx';
import { ZoneField } from '../../parts/zone-field.tsx';
import { Field } from '../../parts/field.tsx';
import { pageTexts } from '../../texts/page-texts.ts';

export type QuietHours = NonNullable<AlertRule['quiet_hours']>;

const words = pageTexts.alerts.rules;
const DAY_MINUTES = 1_440;
const MINUTE_MS = 60_000;

const toMinutes = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

/** The minute of the day in a zone; undefined for a zone that this browser does not know. */
const toMinuteOfDay = (now: number, timeZone: string): number | undefined => {
  try {
    const options = { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
    return toMinutes(new Intl.DateTimeFormat('en-GB', options).format(now));
  } catch {
    return undefined;
  }
};

/** A day from midnight to midnight: the quiet part, and where it is now. */
export const HoursBar = ({ quiet }: { quiet: QuietHours }) => {
  const now = useNow(MINUTE_MS);
  const pattern = useId();
  const [from, to] = [toMinutes(quiet.from), toMinutes(quiet.to)];
  const spans =
    from < to
      ? [[from, to]]
      : [
          [0, to],
          [from, DAY_MINUTES],
        ];
  const minute = toMinuteOfDay(now, quiet.time_zone);
  return (
    <svg
      className="hours"
      viewBox={`0 0 ${DAY_MINUTES} 120`}
      preserveAspectRatio="none"
      role="img"
      aria-label={words.quietLabel(quiet.from, quiet.to, quiet.time_zone)}
    >
      <defs>
        <pattern id={pattern} width="60" height="60" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="26" height="60" />
        </pattern>
      </defs>
      <rect className="hours-day" width={DAY_MINUTES} height="120" />
      {spans.map(([start = 0, end = 0]) => (
        <rect key={start} x={start} width={end - start} height="120" fill={`url(#${pattern})`} />
      ))}
      {minute === undefined ? null : <rect className="hours-now" x={minute} width="16" height="120" />}
    </svg>
  );
};

const usual: QuietHours = { from: '22:00', to: '07:00', time_zone: zoneName };

export interface QuietHoursFieldProps {
  /** null: there are none. */
  quiet: QuietHours | null;
  onChange: (quiet: QuietHours | null) => void;
}

/** When messages wait. */
export const QuietHoursField = ({ quiet, onChange }: QuietHoursFieldProps) => {
  return (
    <div className="grid gap-3">
      <Check
        label={words.quiet}
        note={words.quietNote}
        isOn={quiet !== null}
        onChange={(isOn) => onChange(isOn ? usual : null)}
      />
      {quiet === null ? null : (
        <>
          <div className="grid grid-cols-2 gap-3">
            {(['from', 'to'] as const).map((end) => (
              <Field
                key={end}
                label={words[end]}
                name={`quiet_hours.${end}`}
                type="time"
                required
                value={quiet[end]}
                onChange={({ target }) => onChange({ ...quiet, [end]: target.value })}
              />
            ))}
          </div>
          <ZoneField
            label={words.zone}
            name="quiet_hours.time_zone"
            value={quiet.time_zone}
            onChange={(zone) => onChange({ ...quiet, time_zone: zone })}
          />
          <HoursBar quiet={quiet} />
        </>
      )}
    </div>
  );
};
