import { pageTexts } from '../../texts/page-texts.ts';
import { toTimeHere, toTimeIn } from './times.ts';

/** Times in the zone of their schedule, and in the reader's where that is another. */
export const NextTimes = ({ times, zone }: { times: readonly Date[]; zone: string }) => (
  <ol>
    {times.map((at) => {
      const here = toTimeHere(at);
      const there = toTimeIn(at, zone) ?? here.day;
      return (
        <li key={at.getTime()}>
          <time dateTime={at.toISOString()} className="figure" title={zone}>
            {there}
          </time>
          {there === here.day ? null : (
            <small className="text-ink-3"> {pageTexts.schedules.yourTime(here.clock)}</small>
          )}
        </li>
      );
    })}
  </ol>
);
