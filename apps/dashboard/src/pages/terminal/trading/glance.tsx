import type { Terminal } from '@berth/client';
import { ChevronDown, ChevronUp } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { toThumbAddress } from '../../../data/address.ts';
import { Button } from '../../../parts/button.tsx';
import { Figure } from '../../../parts/figure.tsx';
import { Time } from '../../../parts/time.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';

const words = pageTexts.terminalTrading.glance;

/** The screenshot as a glance of one row, because the money has the first screen; a button shows all of it. */
export const Glance = ({ terminal, children }: { terminal: Terminal; children: ReactNode }) => {
  const [isOpen, setOpen] = useState(false);
  const { screenshot, link } = terminal;
  const facts: readonly (readonly [string, ReactNode])[] = [
    [words.screenshot, screenshot ? <Time key="screenshot" at={screenshot.taken_at} /> : words.none],
    [words.ping, link?.state === 'down' ? words.disconnected : <Figure key="ping" value={link?.ping_ms} unit="ms" />],
    [words.cpu, <Figure key="cpu" value={terminal.cpu_percent} unit="%" digits={1} />],
    [words.memory, <Figure key="memory" value={terminal.memory_mb} unit="MB" />],
    [words.algo, terminal.trading_allowed === true ? words.on : terminal.trading_allowed === false ? words.off : '–'],
  ];
  return (
    <>
      <section className="card glance" aria-label={words.label}>
        {screenshot ? (
          <img className="thumb" src={toThumbAddress(terminal.id, screenshot.file_id)} alt="" width={77} height={48} />
        ) : (
          <span className="thumb thumb-none" />
        )}
        <dl className="glance-facts">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <Button
          kind="bare"
          icon={isOpen ? <ChevronUp /> : <ChevronDown />}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? words.hide : words.show}
        </Button>
      </section>
      {isOpen ? children : null}
    </>
  );
};
