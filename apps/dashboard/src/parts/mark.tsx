import { texts } from '../texts/texts.ts';

/** A berth: a bollard above the water. */
export const Mark = () => (
  <span className="mark">
    <svg
      viewBox="0 0 24 24"
      width="26"
      height="26"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.7"
      aria-hidden="true"
    >
      <path d="M4 19c2.2 0 2.2-1.6 4-1.6S9.9 19 12 19s2.2-1.6 4-1.6S17.8 19 20 19" strokeLinecap="round" />
      <path d="M8 14.5v-7a2 2 0 0 1 2-2h4a2 2 0 0 1 2 2v7M6.500 5.500h11" strokeLinecap="round" />
    </svg>
    <b>{texts.product}</b>
  </span>
);
