import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { Supervisor, waitForEnd, type ProcessEnd, type SupervisedProcess } from '../src/index.ts';

const children: ChildProcess[] = [];
const supervisors: Supervisor[] = [];
afterEach(async () => {
  for (const supervisor of supervisors.splice(0)) await supervisor.stop();
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

const launch = (program = '/bin/sleep'): SupervisedProcess => {
  const child = spawn(program, ['600'], { stdio: 'ignore' });
  children.push(child);
  const ended = waitForEnd(child);
  const end = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  return { pid: child.pid, ended, end };
};

/** A supervisor, and what it reports, one thing after another. */
const supervise = (launches: (signal: AbortSignal) => SupervisedProcess | Promise<SupervisedProcess>) => {
  const ends: (ProcessEnd | Error)[] = [];
  const waiting: (() => void)[] = [];
  const note = (what: ProcessEnd | Error): void => {
    ends.push(what);
    for (const wake of waiting.splice(0)) wake();
  };
  const supervisor = new Supervisor({
    launch: launches,
    backoff: { baseMs: 1, maxMs: 2 },
    onEnd: note,
    onLaunchFailed: (error) => note(error as Error),
  });
  supervisors.push(supervisor);
  const untilReported = async (count: number): Promise<void> => {
    while (ends.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  return { supervisor, ends, untilReported };
};

test('a process that is kept running is launched again when it ends by itself, and its end is reported', async () => {
  const launched: SupervisedProcess[] = [];
  const both = new Promise<void>((resolve) => {
    const { supervisor, ends } = supervise(() => {
      launched.push(launch());
      if (launched.length === 2) resolve();
      return launched.at(-1)!;
    });
    supervisor.start();
    void once(children[0]!, 'spawn').then(() => children[0]!.kill('SIGTERM'));
    void launched[0]!.ended.then(() => expect(ends).toEqual([]));
  });
  await both;
  expect(launched[0]!.pid).not.toBe(launched[1]!.pid);
});

test('a process that is kept running is tried again when it could not be launched, also at the first time', async () => {
  let tries = 0;
  const { supervisor, ends, untilReported } = supervise(() => {
    tries += 1;
    if (tries < 3) throw new Error(`try ${tries}`);
    return launch(tries === 3 ? '/nowhere/at/all' : undefined);
  });
  supervisor.start();
  await untilReported(3);
  expect(ends).toEqual([new Error('try 1'), new Error('try 2'), { code: null, signal: null }]);
});

test('a process that is kept running goes on from the one that its caller has launched', async () => {
  let launches = 0;
  const { supervisor, ends, untilReported } = supervise(() => {
    launches += 1;
    return launch();
  });
  const first = launch();
  supervisor.start(first);
  expect(supervisor.pid).toBe(first.pid);
  await once(children[0]!, 'spawn');
  children[0]!.kill('SIGTERM');
  await untilReported(1);
  expect(ends).toEqual([{ code: null, signal: 'SIGTERM' }]);
  expect(launches).toBe(0);
  await supervisor.stop();
});

test('a supervisor that is stopped ends the process, reports nothing, and launches no other', async () => {
  let launches = 0;
  const { supervisor, ends } = supervise(() => {
    launches += 1;
    return launch();
  });
  const first = launch();
  supervisor.start(first);
  await supervisor.stop();
  expect(await first.ended).toEqual({ code: null, signal: 'SIGKILL' });
  expect(supervisor.pid).toBeUndefined();
  expect(ends).toEqual([]);
  expect(launches).toBe(0);
});

test('a supervisor that is stopped ends the process whose launch was on its last step, which the signal passed by', async () => {
  let late: SupervisedProcess | undefined;
  let finish = (): void => undefined;
  const { supervisor } = supervise(
    () =>
      new Promise((resolve) => {
        finish = () => resolve((late = launch()));
      }),
  );
  supervisor.start();
  const stopped = supervisor.stop();
  finish();
  await stopped;
  expect(await late?.ended).toEqual({ code: null, signal: 'SIGKILL' });
  expect(supervisor.pid).toBeUndefined();
});
