import type { Alert, AlertChannel } from '@berth/client';
import { Link } from '@tanstack/react-router';
import { Check } from 'lucide-react';
import { useAction } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { useUser } from '../../data/session.ts';
import { Button } from '../../parts/button.tsx';
import { Shape } from '../../parts/status-mark.tsx';
import { Time } from '../../parts/time.tsx';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { LifeLine } from './life-line.tsx';

const words = pageTexts.alerts;

/** "Terminal Gold grid is down", "Host quay-1 is offline" */
export const toTitle = ({ when, subject: { names, terminals, host } }: Alert): string => {
  if (when === 'host_lost' && host !== null) return words.hostOffline(isolate(host));
  const { one, many } = words.titles[when];
  return terminals === 1 ? one(isolate(names[0] ?? '')) : many(terminals);
};

/** One mark for each terminal, filled where positions were open: fifty of them are seen at a glance. */
const Marks = ({ all, open }: { all: number; open: number }) => {
  const shown = Math.min(all, 100);
  return (
    <div className="host-marks">
      <div className="grid-marks" role="img" aria-label={words.open.marks(all, open)}>
        {Array.from({ length: shown }, (_mark, index) => (
          <i key={index} data-open={index < (open * shown) / all ? '' : undefined} />
        ))}
      </div>
      <p className="marks-key">
        <i className="mark-key" data-open="" /> {words.open.positions(open)}
        <i className="mark-key" /> {words.open.noPositions(all - open)}
      </p>
    </div>
  );
};

/** The names of the first terminals, each a link. */
const Names = ({ subject: { names, terminal_ids: ids, terminals } }: { subject: Alert['subject'] }) => (
  <>
    {names.map((name, index) => (
      <span key={ids[index] ?? index}>
        {index === 0 ? '' : ', '}
        {ids[index] === undefined ? (
          <bdi>{name}</bdi>
        ) : (
          <Link to="/terminals/$id" params={{ id: ids[index] }} className="link">
            <bdi>{name}</bdi>
          </Link>
        )}
      </span>
    ))}
    {terminals > names.length && names.length > 0 ? ` ${words.open.more(terminals - names.length)}` : ''}
  </>
);

const Acknowledge = ({ alert }: { alert: Alert }) => {
  const acknowledge = useAction({
    run: () => berth.alerts.acknowledge(alert.id),
    done: () => words.open.acknowledgedNow,
    touches: () => [keys.alerts.all],
  });
  if (alert.acknowledged_at !== null) {
    return (
      <span className="status" data-tone="rest">
        <Check className="size-4" aria-hidden="true" />
        {words.open.acknowledged}
      </span>
    );
  }
  return (
    <Button
      kind="primary"
      isBusy={acknowledge.isRunning}
      aria-label={words.open.acknowledgeOf(toTitle(alert))}
      onClick={() => acknowledge.run(undefined)}
    >
      {words.open.acknowledge}
    </Button>
  );
};

export interface IncidentProps {
  alert: Alert;
  /** Undefined while they are read. */
  channels: readonly AlertChannel[] | undefined;
}

/** An alert: what, since when, whom it is about; below it who was told, and what comes next. */
export const Incident = ({ alert, channels }: IncidentProps) => {
  const { subject, when, acknowledged_at: acknowledgedAt, opened_at: openedAt, rule_name: rule } = alert;
  const { terminals, with_positions: open, reason, terminal_ids: ids } = subject;
  const [only] = ids;
  const { is_operator: isOperator } = useUser();
  return (
    <li className="incident" data-tone={acknowledgedAt === null ? 'bad' : 'wait'}>
      <div className="incident-head">
        <Shape tone={acknowledgedAt === null ? 'bad' : 'wait'} />
        <div className="min-w-0">
          <h2>{toTitle(alert)}</h2>
          <p>
            {words.open.since} <Time at={openedAt} as="exact" />
            {terminals > 1 ? (
              <>
                {', '}
                <b>{words.terminals(terminals)}</b>
                {': '}
                <Names subject={subject} />
              </>
            ) : null}
            . {reason === null ? null : <bdi>{reason} </bdi>}
            <small>
              {words.open.rule} <bdi>{rule}</bdi>
            </small>
          </p>
        </div>
        <div className="incident-tools">
          {isOperator && when === 'host_lost' ? (
            <Link to="/hosts" className="button">
              {words.open.toHost}
            </Link>
          ) : null}
          {terminals === 1 && only !== undefined ? (
            <Link to="/terminals/$id" params={{ id: only }} className="button">
              {words.open.toTerminal}
            </Link>
          ) : null}
          <Acknowledge alert={alert} />
        </div>
      </div>
      <div className="incident-body">
        {open !== null && terminals > 1 ? <Marks all={terminals} open={open} /> : null}
        <LifeLine alert={alert} channels={channels} />
      </div>
    </li>
  );
};
