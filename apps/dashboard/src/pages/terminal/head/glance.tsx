import { TaskType, type Terminal } from '@berth/client';
import { ChevronDown, ChevronUp, Image } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { toThumbAddress } from '../../../data/address.ts';
import { Button } from '../../../parts/button.tsx';
import { Figure } from '../../../parts/figure.tsx';
import { Moment } from '../../../parts/zone.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { useTakeScreenshot, whyNotNow } from '../../../data/create-task.ts';
import { isIdle, toPing, toState } from '../state.ts';
import { useOpenTasks } from '../terminal-data.ts';
import { AlgoSentence } from './algo-sentence.tsx';

const words = pageTexts.terminal.glance;

const Thumb = ({ terminal: { id, screenshot } }: { terminal: Terminal }) => {
  const [lost, setLost] = useState<string>();
  if (!screenshot || lost === screenshot.file_id) {
    return (
      <span className="thumb thumb-none">
        <Image aria-hidden="true" />
      </span>
    );
  }
  const { file_id: fileId } = screenshot;
  return (
    <img
      className="thumb"
      src={toThumbAddress(id, fileId)}
      alt=""
      width={77}
      height={48}
      onError={() => setLost(fileId)}
    />
  );
};

const Facts = ({ terminal }: { terminal: Terminal }) => {
  const isActive = toState(terminal) === 'ACTIVE';
  const { memory_mb: memory, cpu_percent: cpu } = isIdle(terminal) ? {} : terminal;
  const facts: readonly (readonly [string, ReactNode])[] = [
    [words.ping, <Figure key="ping" value={toPing(terminal)} unit="ms" />],
    [
      words.since,
      isActive ? <Moment key="since" at={terminal.status_changed_at} /> : <Figure key="since" value={null} unit="" />,
    ],
    [words.memory, <Figure key="memory" value={memory} unit="MB" />],
    [words.cpu, <Figure key="cpu" value={cpu} unit="%" digits={1} />],
  ];
  return (
    <dl className="glance-facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
};

/** A new screenshot is wanted to be seen. */
const TakeScreenshot = ({ terminal, onTake }: { terminal: Terminal; onTake: () => void }) => {
  const take = useTakeScreenshot(terminal.id);
  const isTaking = useOpenTasks(terminal.id).some(({ type }) => type === TaskType.SCREENSHOT);
  return (
    <Button
      whyNot={whyNotNow(terminal, 'SCREENSHOT')}
      isBusy={take.isRunning || isTaking}
      onClick={() => [take.run(undefined), onTake()]}
    >
      {pageTexts.terminal.screenshot.take}
    </Button>
  );
};

export interface GlanceProps {
  terminal: Terminal;
  /** Whether the screenshot is shown below. */
  isOpen: boolean;
  onToggle: (isOpen: boolean) => void;
}

/** The terminal in one row, so that its tabs have the first screen; the thumbnail opens the screenshot and the charts. */
export const Glance = ({ terminal, isOpen, onToggle }: GlanceProps) => (
  <section className="card glance" aria-label={words.label}>
    <button
      type="button"
      className="glance-thumb"
      aria-expanded={isOpen}
      aria-label={isOpen ? words.hide : words.show}
      title={isOpen ? words.hide : words.show}
      onClick={() => onToggle(!isOpen)}
    >
      <Thumb terminal={terminal} />
      {isOpen ? <ChevronUp aria-hidden="true" /> : <ChevronDown aria-hidden="true" />}
    </button>
    <Facts terminal={terminal} />
    <AlgoSentence terminal={terminal} />
    <TakeScreenshot terminal={terminal} onTake={() => onToggle(true)} />
  </section>
);
