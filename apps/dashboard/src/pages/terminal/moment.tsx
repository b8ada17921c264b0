import { Time } from '../../parts/time.tsx';
import { toZone } from './zone.ts';

/** The time of day with its zone: "14:02 CEST". */
export const Moment = ({ at }: { at: string }) => (
  <span className="moment">
    <Time at={at} as="moment" /> {toZone(Date.parse(at))}
  </span>
);
