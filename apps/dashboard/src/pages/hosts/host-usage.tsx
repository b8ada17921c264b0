import type { Host } from '@berth/client';
import { toBytesText, toPartFigure } from '../../parts/bytes.ts';
import { Meter } from '../../parts/meter.tsx';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.hosts;
const MEGABYTE = 1024 * 1024;

interface UsageProps {
  name: string;
  used: number;
  of: number;
  /** What the bar shows, in words. */
  text: string;
}

const Usage = ({ name, used, of, text }: UsageProps) => (
  <div className="grid gap-1">
    <p className="flex justify-between gap-3">
      <span className="text-ink-3">{name}</span>
      <span className="figure">{text}</span>
    </p>
    <Meter part={of === 0 ? 1 : used / of} label={`${name}: ${text}`} />
  </div>
);

/** How many terminals the host has, of those that it takes. */
export const SlotUsage = ({ host: { terminals, places, capacity } }: { host: Host }) => {
  const slots = places ?? capacity ?? 0;
  return (
    <div className="grid gap-1">
      <Usage name={words.slots} used={terminals} of={slots} text={words.slotsText(terminals, slots)} />
      {capacity !== null && slots < capacity ? <small>{words.slotsBounded(capacity)}</small> : null}
    </div>
  );
};

interface SizeUsageProps {
  name: string;
  totalMb: number | null | undefined;
  availableMb: number | null | undefined;
}

/** Nothing where the host has not reported it. */
export const SizeUsage = ({ name, totalMb, availableMb }: SizeUsageProps) => {
  if (typeof totalMb !== 'number' || typeof availableMb !== 'number') return null;
  const [used, total] = [(totalMb - availableMb) * MEGABYTE, totalMb * MEGABYTE];
  const text = words.sizeText(toPartFigure(used, total), toBytesText(total));
  return <Usage name={name} used={used} of={total} text={text} />;
};
