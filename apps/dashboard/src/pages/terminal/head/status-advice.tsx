import type { Terminal } from '@berth/client';
import { isNotRunning, isServerUnknown } from '@berth/contract/values';
import { Banner, type BannerProps } from '../../../parts/banner.tsx';
import { Button } from '../../../parts/button.tsx';
import { terminalTones } from '../../../parts/terminal-status.tsx';
import type { Tone } from '../../../parts/status-mark.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { useAddress } from '../address.ts';
import { ask } from '../asked.ts';

const words = pageTexts.terminal;

const kinds: Record<Tone, BannerProps['kind']> = {
  good: 'news',
  wait: 'news',
  rest: 'news',
  cut: 'warning',
  bad: 'failure',
};

/** For a status that needs attention, or patience: the server's reason, and what to do. */
export const StatusAdvice = ({ terminal }: { terminal: Terminal }) => {
  const { change } = useAddress();
  const { status_name: name, status_reason: reason, trading_reason: closed } = terminal;
  if (name === 'ACTIVE' || name === 'DESTROYED') {
    return closed ? <Banner kind="news">{words.trading[closed]}</Banner> : null;
  }
  const isUnknown = name === 'LOGIN_FAILED' && isServerUnknown(reason);
  const isLoggedOut = name === 'STOPPED' && reason !== 'stopped';
  const isRestarting = name === 'DISCONNECTED' && isNotRunning(reason);
  const special = isUnknown ? 'SERVER_UNKNOWN' : isRestarting ? 'NOT_RUNNING' : isLoggedOut ? 'LOGGED_OUT' : name;
  const advice = words.advice[special];
  const action =
    name === 'LOGIN_FAILED' || isLoggedOut ? (
      <Button onClick={() => [change({ tab: 'account' }), ask(isUnknown ? 'servers' : 'login')]}>
        {isUnknown ? words.toServers : words.toAccount}
      </Button>
    ) : name === 'DISCONNECTED' ? (
      <Button onClick={() => [change({ tab: 'logs', source: 'journal' }), ask('journal')]}>{words.toLogs}</Button>
    ) : undefined;
  return (
    <Banner kind={kinds[terminalTones[name]]} action={action}>
      {reason === null || name === 'STOPPED' ? null : <bdi className="clamp strong">{reason}</bdi>} {advice}
    </Banner>
  );
};
