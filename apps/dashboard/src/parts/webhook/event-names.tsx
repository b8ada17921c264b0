import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.webhooks;
const MAX_NAMES = 3;

/** The names of its events; a long list is shortened. */
export const EventNames = ({ names }: { names: readonly string[] }) => (
  <span className="event-names">
    {names.slice(0, MAX_NAMES).map((name) => (
      <code key={name} className="event">
        {name}
      </code>
    ))}
    {names.length > MAX_NAMES ? <small>{words.moreEvents(names.length - MAX_NAMES)}</small> : null}
  </span>
);
