import type { AccountOverview, TerminalItem } from '@berth/client';
import { toTerminalStatusName } from '@berth/contract/values';
import { Link } from '@tanstack/react-router';
import { Lock } from 'lucide-react';
import { Suspense } from 'react';
import { later } from '../../parts/later.tsx';
import { SameAccount } from '../../parts/same-account.tsx';
import { TerminalStatusMark, toTerminalState, type TerminalState as State } from '../../parts/terminal-status.tsx';
import { Time } from '../../parts/time.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { ask, type Asked } from '../../data/lead.ts';

const words = pageTexts.terminals;

interface Remedy {
  tab: 'account' | 'logs';
  asks: Asked;
}

/** Where on the page of a terminal its owner can do something about its status. */
const remedies: Partial<Record<State, Remedy>> = {
  LOGIN_FAILED: { tab: 'account', asks: 'login' },
  LOGGED_OUT: { tab: 'account', asks: 'login' },
  SERVER_UNKNOWN: { tab: 'account', asks: 'servers' },
  DISCONNECTED: { tab: 'logs', asks: 'journal' },
};

/** Shown on hover and focus; where nothing hovers, always. */
const RemedyLink = ({ id, remedy: { tab, asks } }: { id: string; remedy: Remedy }) => {
  const search = { tab, ...(asks === 'journal' ? { source: asks } : {}) };
  return (
    <Link to="/terminals/$id" params={{ id }} search={search} className="button remedy" onClick={() => ask(asks)}>
      {words.remedies[asks]}
    </Link>
  );
};

/** To all that was checked, and the first thing that is wrong. */
const WhyLink = ({ terminal: { id, name } }: { terminal: TerminalItem }) => (
  <Link to="/terminals/$id" params={{ id }} search={{ why: true }} className="why-link" aria-label={words.whyOf(name)}>
    {words.why}
  </Link>
);

const RiskLine = later(async () => (await import('./risk-line.tsx')).RiskLine);

/** What risk rules did, or what they see, says nothing of the connection, and has a line of its own. */
const Risk = ({
  locked,
  rules,
}: {
  locked: string | null | undefined;
  rules: AccountOverview['rules'] | undefined;
}) => {
  if (locked) {
    return (
      <small className="risk-line" data-tone="bad" title={locked}>
        <Lock aria-hidden="true" />
        {words.locked}: <bdi>{locked}</bdi>
      </small>
    );
  }
  return rules === undefined || rules.length === 0 ? null : (
    <Suspense fallback={null}>
      <RiskLine states={rules} />
    </Suspense>
  );
};

export interface TerminalStateProps {
  terminal: TerminalItem;
  rules: AccountOverview['rules'] | undefined;
}

/** The status of a terminal, why, since when, and what its owner can do about it. */
export const TerminalState = ({ terminal, rules }: TerminalStateProps) => {
  const { id, status, status_reason: statusReason, status_changed_at: since, locked_reason: locked } = terminal;
  const state = toTerminalState(toTerminalStatusName(status), statusReason);
  // The word of the status says as much.
  const reason = toTerminalStatusName(status) === 'STOPPED' ? null : statusReason;
  const remedy = locked ? undefined : remedies[state];
  return (
    <div className="status-lines" title={reason ?? undefined}>
      <span className="flex items-baseline gap-2">
        <TerminalStatusMark status={status} reason={statusReason ?? null} />
        {state === 'ACTIVE' || state === 'DESTROYING' ? null : <WhyLink terminal={terminal} />}
      </span>
      {reason ? (
        <small className="status-reason">
          <bdi>{reason}</bdi>
        </small>
      ) : locked || terminal.same_account_as || since === undefined ? null : (
        <small>
          <Time at={since} as="span" />
        </small>
      )}
      <Risk locked={locked} rules={rules} />
      <SameAccount terminal={terminal} />
      {remedy === undefined ? null : <RemedyLink id={id} remedy={remedy} />}
    </div>
  );
};
