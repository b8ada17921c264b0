import { toAttribute } from './text.ts';
import type { FieldError } from './errors.ts';

/** Whether the runtime knows the zone by a name of the tz database. Offsets, which know no summer time, are none. */
const isTimeZone = (name: string): boolean => {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
};

/** What is wrong with the name of a time zone in the field. */
export const findTimeZoneErrors = (field: string, name: string): FieldError[] =>
  isTimeZone(name)
    ? []
    : [
        {
          field,
          text: `The selected ${toAttribute(field)} is invalid.`,
          hint: 'Use a name of the tz database, such as Europe/Berlin or UTC.',
        },
      ];
