import { isServerUnknown, toTerminalStatusName } from '@berth/contract/values';
import { NotFoundError, type Terminal, type TerminalStatusName } from '@berth/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { berth } from '../../../data/berth.ts';
import { keys } from '../../../data/keys.ts';
import { Banner } from '../../../parts/banner.tsx';
import { Button } from '../../../parts/button.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { SameAccount } from '../../../parts/same-account.tsx';
import { Skeleton } from '../../../parts/skeleton.tsx';
import { Shape, type Tone } from '../../../parts/status-mark.tsx';
import { Time } from '../../../parts/time.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { texts } from '../../../texts/texts.ts';

const words = pageTexts.terminals.create;

/** Events report each change; this is in case one is lost. */
const LOOK_MS = 5_000;

const stages = ['place', 'install', 'login', 'active'] as const;
type Stage = (typeof stages)[number];
type StageState = 'before' | 'now' | 'done' | 'failed';

/** The position of each status, and whether setup ends there. */
const positions: Record<TerminalStatusName, { at: number; isFailure?: true }> = {
  PENDING: { at: 0 },
  INSTALLING: { at: 1 },
  CONNECTING: { at: 2 },
  ACTIVE: { at: 4 },
  DISCONNECTED: { at: 2 },
  STOPPED: { at: 2, isFailure: true },
  LOGIN_FAILED: { at: 2, isFailure: true },
  FAILED: { at: 1, isFailure: true },
  DESTROYING: { at: 1, isFailure: true },
  DESTROYED: { at: 1, isFailure: true },
  UNREACHABLE: { at: 1 },
};

const toState = (name: TerminalStatusName, index: number): StageState => {
  const { at, isFailure } = positions[name];
  if (index < at) return 'done';
  if (index > at) return 'before';
  return isFailure ? 'failed' : 'now';
};

const tones: Record<StageState, Tone> = { before: 'rest', now: 'wait', done: 'good', failed: 'bad' };

const useInstallation = (id: string) =>
  useQuery({
    queryKey: keys.terminals.one(id),
    queryFn: ({ signal }) => berth.terminals.get(id, { include: 'details' }, { signal }),
    refetchInterval: ({ state: { data } }) => (data?.status_name === 'ACTIVE' ? false : LOOK_MS),
  });

const Steps = ({ terminal }: { terminal: Terminal }) => {
  // An event may already have changed the number.
  const name = toTerminalStatusName(terminal.status);
  const { status_reason: reason } = terminal;
  const note = (stage: Stage, state: StageState) =>
    state === 'now' || state === 'failed' ? (reason ?? words.notes[stage]) : undefined;
  return (
    <ol className="installation-steps">
      {stages.map((stage, index) => {
        const state = toState(name, index);
        const text = note(stage, state);
        return (
          <li key={stage} data-state={state} aria-current={state === 'now' ? 'step' : undefined}>
            <span data-tone={tones[state]} className="inline-flex">
              <Shape tone={tones[state]} />
            </span>
            <span>
              <b>{words.stages[stage]}</b>
              <span className="sr-only">{words.states[state]}</span>
              {text === undefined ? null : <bdi className="step-note">{text}</bdi>}
            </span>
            {state === 'now' ? <Time at={terminal.status_changed_at} as="span" /> : null}
          </li>
        );
      })}
    </ol>
  );
};

/** What to do where setup stopped early. */
const advice: Partial<Record<TerminalStatusName, string>> = {
  LOGIN_FAILED: words.loginFailed,
  FAILED: words.failed,
  STOPPED: words.stopped,
  UNREACHABLE: words.unreachable,
  DESTROYING: words.deleted,
};

const toAdvice = (name: TerminalStatusName, reason: string | null | undefined): string =>
  name === 'LOGIN_FAILED' && isServerUnknown(reason) ? words.serverUnknown : (advice[name] ?? words.goesOn);

export interface InstallationProps {
  id: string;
  onClose: () => void;
  onAnother: () => void;
  /** Told whether the terminal is active. */
  onActive: (isActive: boolean) => void;
}

/** The setup of a new terminal, live: from being assigned a host to being active, or to what needs to be done. */
export const Installation = ({ id, onClose, onAnother, onActive }: InstallationProps) => {
  const { data, error, refetch } = useInstallation(id);
  const name = data && toTerminalStatusName(data.status);
  const isActive = name === 'ACTIVE';
  useEffect(() => onActive(isActive), [isActive, onActive]);
  const address: string = `/terminals/${id}`;
  const isGone = error instanceof NotFoundError;
  return (
    <div className="grid gap-4">
      {data?.same_account_as ? (
        <Banner kind="warning">
          <SameAccount terminal={data} />
        </Banner>
      ) : null}
      {error === null ? null : isGone ? (
        <p className="field-error">{words.deleted}</p>
      ) : (
        <Failure error={error} onRetry={() => void refetch()} />
      )}
      {data === undefined ? (
        isGone ? null : (
          <Skeleton className="h-40 w-full" />
        )
      ) : (
        <>
          <p className="min-w-0 truncate">
            <b>
              <bdi>{data.name}</bdi>
            </b>{' '}
            <small>
              <bdi>{data.login}</bdi> · <bdi>{data.server_name}</bdi>
            </small>
          </p>
          <Steps terminal={data} />
        </>
      )}
      <p className="field-note" role="status">
        {name === undefined ? '' : isActive ? words.active : toAdvice(name, data?.status_reason)}
      </p>
      <div className="dialog-foot">
        <Button onClick={onClose}>{texts.close}</Button>
        <Button onClick={onAnother}>{words.another}</Button>
        <Link to={address} className="button" data-kind="primary">
          {words.toTerminal}
        </Link>
      </div>
    </div>
  );
};
