import { useOpenCount } from '../data/alerts.ts';
import { pageTexts } from '../texts/page-texts.ts';

/** Of the element that says in words how many alerts are open. */
const ID = 'open-alerts';

/** What describes the link to the alerts. */
export const useAlertsDescription = (): { 'aria-describedby'?: string } => {
  const count = useOpenCount();
  return count === undefined || count === '0' ? {} : { 'aria-describedby': ID };
};

/** How many alerts are open, behind the name of their page. The name stays the name: the figure describes the link. */
export const AlertCount = () => {
  const count = useOpenCount();
  if (count === undefined || count === '0') return null;
  return (
    <span className="rail-count" aria-hidden="true">
      {count}
    </span>
  );
};

/** The same in words, announced when it changes. */
export const AlertCountInWords = () => {
  const count = useOpenCount();
  return (
    <span className="sr-only" role="status" id={ID}>
      {count === undefined || count === '0' ? '' : pageTexts.frame.openAlerts(count, count === '1')}
    </span>
  );
};
