import { pageTexts } from '../texts/page-texts.ts';
import { Time, toZone } from './time.tsx';

/** The reader's time zone, for times of the whole year: "Europe/Berlin". */
export const zoneName = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The time of day with its zone, for a time that stands alone: "14:02 CEST". */
export const Moment = ({ at }: { at: string }) => (
  <span className="moment">
    <Time at={at} as="moment" /> {toZone(Date.parse(at))}
  </span>
);

/** Below a table, or beside a list: the zone of the times in it. */
export const ZoneNote = () => <small className="zone-note">{pageTexts.frame.timesIn(zoneName)}</small>;
