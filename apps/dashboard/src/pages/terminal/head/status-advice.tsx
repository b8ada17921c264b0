import type { Terminal } from '@berth/client';
import { useState } from 'react';
import { Banner, type BannerProps } from '../../../parts/banner.tsx';
import { Button } from '../../../parts/button.tsx';
import { terminalTones, type TerminalState } from '../../../parts/terminal-status.tsx';
import type { Tone } from '../../../parts/status-mark.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { useAddress } from '../address.ts';
import { ask, type Asked } from '../../../data/lead.ts';
import type { TerminalTab } from '../search.ts';
import { toReasonParts, toState } from '../state.ts';
import { DeleteDialog } from './delete-dialog.tsx';

const words = pageTexts.terminal;

const kinds: Record<Tone, BannerProps['kind']> = {
  good: 'news',
  wait: 'news',
  rest: 'news',
  cut: 'warning',
  bad: 'failure',
};

/** The server's reason is better than a general one, unless the state says all of it. */
const HAS_OWN_WORDS: ReadonlySet<TerminalState> = new Set([
  'SERVER_UNKNOWN',
  'RESTARTING',
  'STOPPED',
  'LOGGED_OUT',
  'DESTROYING',
]);

interface Way {
  label: string;
  tab: TerminalTab;
  asked: Asked;
}

const toLogin: Way = { label: words.toAccount, tab: 'account', asked: 'login' };
const toServers: Way = { label: words.toServers, tab: 'account', asked: 'servers' };
const toJournal: Way = { label: words.toLogs, tab: 'logs', asked: 'journal' };

/** Where it is fixed, or explained. */
const ways: Partial<Record<TerminalState, Way>> = {
  LOGIN_FAILED: toLogin,
  LOGGED_OUT: toLogin,
  SERVER_UNKNOWN: toServers,
  DISCONNECTED: toJournal,
  RESTARTING: toJournal,
};

/** What could not be installed is deleted, and created again. */
const DeleteFailed = ({ terminal }: { terminal: Terminal }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind="primary" onClick={() => setOpen(true)}>
        {words.toDelete}
      </Button>
      <DeleteDialog terminal={terminal} isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  );
};

/** For a status that needs attention, or patience: the cause, what to do, and the button that leads there. */
export const StatusAdvice = ({ terminal }: { terminal: Terminal }) => {
  const { search, change } = useAddress();
  const { status_name: name, status_reason: reason, trading_reason: closed, move } = terminal;
  const state = toState(terminal);
  if (move) {
    return (
      <Banner kind={move.state === 'returning' ? 'warning' : 'news'}>
        <b>{words.moving[move.state]}</b> <bdi>{move.reason}</bdi>
      </Banner>
    );
  }
  if (state === 'ACTIVE' || state === 'DESTROYED') {
    if (!closed) return null;
    return (
      <Banner kind="news">
        <b>{words.trading[closed].cause}</b> {words.trading[closed].remedy}
      </Banner>
    );
  }
  const said = reason === null || HAS_OWN_WORDS.has(state) ? undefined : toReasonParts(reason);
  const { cause, remedy } = words.advice[state];
  const found = ways[state];
  // The answer to why has the form itself.
  const way = search.why === true && found?.tab === 'account' ? undefined : found;
  const go = ({ tab, asked }: Way): void => {
    change(asked === 'journal' ? { tab, source: asked } : { tab });
    ask(asked);
  };
  return (
    <Banner
      kind={kinds[terminalTones[name]]}
      action={
        way ? (
          <Button kind="primary" onClick={() => go(way)}>
            {way.label}
          </Button>
        ) : state === 'FAILED' ? (
          <DeleteFailed terminal={terminal} />
        ) : undefined
      }
    >
      <b>
        <bdi>{said?.cause ?? cause}</bdi>
      </b>{' '}
      <bdi>{said?.rest || remedy}</bdi>
    </Banner>
  );
};
