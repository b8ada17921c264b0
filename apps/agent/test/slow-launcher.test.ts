/** What is behind the seam of a launcher may be slow, and may not be able to tell: a box is asked by another program. */
import { sleep } from '@berth/kit';
import { TaskType, TerminalStatus } from '@berth/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '@berth/testing/wait-for';
import { LauncherError, type Launcher, type Processes } from '../src/launchers/launcher.ts';
import { createProcessLauncher } from '../src/launchers/process/process-launcher.ts';
import { SandboxHost } from './support/sandbox-host.ts';

let host: SandboxHost;
beforeAll(async () => {
  host = await SandboxHost.start();
});
afterAll(() => host.close());

/** Plain processes behind a door: every question takes its time, and while the door is shut none is answered. */
class Door {
  isShut = false;
  asked = 0;
  readonly launcher: Launcher;

  constructor(delayMs: number, screenAddress?: string) {
    const plain = createProcessLauncher();
    const ask = async <Result>(act: () => Promise<Result>): Promise<Result> => {
      await sleep(delayMs);
      this.asked += 1;
      if (this.isShut) throw new LauncherError('missing', 'The box does not answer.');
      return act();
    };
    const behind = (processes: Processes): Processes => ({
      start: (options) => ask(() => processes.start(options)),
      isRunning: (handle) => ask(() => processes.isRunning(handle)),
      find: () => ask(() => processes.find()),
      close: (handle) => ask(() => processes.close(handle)),
      clear: () => ask(() => processes.clear()),
    });
    this.launcher = {
      ...plain,
      processes: (box, program) => behind(plain.processes(box, program)),
      screen: (box) => {
        const screen = plain.screen(box);
        return {
          open: async () => screenAddress ?? (await screen.open()),
          hasWindow: () => ask(() => screen.hasWindow()),
          capture: (size) => ask(() => screen.capture(size)),
          ask: (request, options) => ask(() => screen.ask(request, options)),
        };
      },
    };
  }
}

test('a slow launcher changes nothing: installed, crashed, restarted, operated, destroyed', async () => {
  const terminal = await host.createTerminal({ launcher: new Door(50).launcher });
  expect((await terminal.install()).kind).toBe('completed');
  process.kill(await host.getPid(terminal), 'SIGKILL');
  await waitFor(() => !terminal.driver.isAlive());
  await terminal.driver.restart();
  await waitFor(() => terminal.driver.observe()?.status === TerminalStatus.ACTIVE);
  const url = 'https://quotes.example.com';
  expect((await terminal.run(TaskType.OPTIONS_WEB_REQUEST, { url })).kind).toBe('completed');
  expect((await terminal.run(TaskType.TERMINAL_DESTROY)).kind).toBe('completed');
});

test('a launcher that cannot tell is no dead terminal: nothing is started twice, and its death is seen afterwards', async () => {
  const door = new Door(1);
  const terminal = await host.createTerminal({ launcher: door.launcher });
  await terminal.install();
  const pid = await host.getPid(terminal);
  door.isShut = true;
  const { asked } = door;
  await waitFor(() => door.asked > asked + 1);
  expect(terminal.driver.isAlive()).toBe(true);
  process.kill(pid, 'SIGKILL');
  const after = door.asked;
  await waitFor(() => door.asked > after + 1);
  expect(terminal.driver.isAlive()).toBe(true);
  door.isShut = false;
  await waitFor(() => !terminal.driver.isAlive());
});

test('a terminal that cannot be stopped is told of, goes on and is watched on', async () => {
  const door = new Door(1);
  const terminal = await host.createTerminal({ launcher: door.launcher });
  await terminal.install();
  const pid = await host.getPid(terminal);
  door.isShut = true;
  const { kind, steps } = await terminal.run(TaskType.ACCOUNT_LOGOUT);
  expect(kind).toBe('failed');
  expect(steps.at(-1)).toMatchObject({ step: 'stop_terminal', code: 'E_UNSUPPORTED' });
  door.isShut = false;
  expect(terminal.driver.isAlive()).toBe(true);
  process.kill(pid, 'SIGKILL');
  await waitFor(() => !terminal.driver.isAlive());
});

test('a start without a window does not count, whatever the journal says', async () => {
  const elsewhere = `${host.folder}/elsewhere.sock`;
  const door = new Door(0, elsewhere);
  const terminal = await host.createTerminal({ launcher: door.launcher, timing: { startMs: 3_000 } });
  const { kind, steps } = await terminal.install();
  expect(kind).toBe('failed');
  expect(steps.at(-1)).toMatchObject({ step: 'start_terminal', code: 'E_NOT_RUNNING' });
  expect(steps.at(-1)?.message).toContain('no window');
  expect(terminal.driver.isAlive()).toBe(false);
});
