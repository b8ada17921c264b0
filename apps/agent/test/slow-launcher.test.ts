/** What a launcher calls may be slow, and may not know: another program has to answer for a box. */
import { sleep } from '@berth/kit';
import { TaskType, TerminalStatus } from '@berth/contract';
import { expect, test } from 'vitest';
import { waitFor } from '@berth/testing/wait-for';
import { LauncherError, type Launcher, type Processes } from '../src/launchers/launcher.ts';
import { createProcessLauncher } from '../src/launchers/process/process-launcher.ts';
import { useSandboxHost } from './support/sandbox-host.ts';

const host = useSandboxHost();

/** Plain processes behind a door: every question takes its time, and while the door is shut none is answered. */
class Door {
  isShut = false;
  asked = 0;
  /** What the next starts fail with. */
  refusal: LauncherError | undefined;
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
      start: (options) => ask(() => (this.refusal ? Promise.reject(this.refusal) : processes.start(options))),
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
  await host.crash(terminal);
  await terminal.driver.restart();
  await waitFor(() => terminal.driver.observe()?.status === TerminalStatus.ACTIVE);
  const url = 'https://quotes.example.com';
  expect((await terminal.run(TaskType.OPTIONS_WEB_REQUEST, { url })).kind).toBe('completed');
  expect((await terminal.run(TaskType.TERMINAL_DESTROY)).kind).toBe('completed');
});

test('an unknown state does not mean a dead terminal: nothing is started twice, and its death is seen later', async () => {
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

test('a terminal that cannot be stopped is reported, keeps running and stays watched', async () => {
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

test('what the host lacks for a start is reported for the terminal, until it starts again', async () => {
  const door = new Door(0);
  const terminal = await host.createTerminal({ launcher: door.launcher });
  await terminal.install();
  door.refusal = new LauncherError('disk', "The terminal's files take 70 MB of the 64 MB that it may have.");
  await host.crash(terminal);
  await expect(terminal.driver.restart()).rejects.toThrow('70 MB');
  const { status, reason } = terminal.driver.observe()!;
  expect(status).toBe(TerminalStatus.DISCONNECTED);
  expect(reason).toContain("The terminal's files take 70 MB of the 64 MB that it may have.");
  door.refusal = undefined;
  await terminal.driver.restart();
  await waitFor(() => terminal.driver.observe()?.status === TerminalStatus.ACTIVE);
  expect(terminal.driver.observe()?.reason).toBeNull();
});

test('a launcher that keeps terminals from nothing is named by every step that starts one', async () => {
  const terminal = await host.createTerminal({ launcher: { ...createProcessLauncher(), isolation: 'none' } });
  const installed = await terminal.install();
  const again = await terminal.run(TaskType.ACCOUNT_LOGIN, {}, { secrets: { password: terminal.account.password } });
  for (const { steps } of [installed, again]) {
    expect(steps.find(({ step }) => step === 'start_terminal')?.message).toContain('without a box');
  }
  const boxed = await host.createTerminal({ launcher: { ...createProcessLauncher(), isolation: 'full' } });
  expect((await boxed.install()).steps.map(({ message }) => message).join()).not.toContain('without a box');
});

test('a screenshot that is larger than the screen is taken as large as it goes, and says so', async () => {
  const plain = createProcessLauncher();
  const screen: Launcher['screen'] = (box) => {
    const own = plain.screen(box);
    return {
      open: () => own.open(),
      hasWindow: () => own.hasWindow(),
      ask: (request, options) => own.ask(request, options),
      capture: ({ width, height }) => own.capture({ width: Math.min(width, 800), height: Math.min(height, 600) }),
    };
  };
  const terminal = await host.createTerminal({ launcher: { ...plain, screen } });
  await terminal.install();
  const takeScreenshot = async (width: number, height: number) => {
    const { kind, steps } = await terminal.run(TaskType.SCREENSHOT, { width, height });
    expect(kind).toBe('completed');
    return steps.find(({ step }) => step === 'capture_screen')?.message;
  };
  expect(await takeScreenshot(1280, 800)).toMatch(/800 x 600\. That is less than was asked for/);
  expect(await takeScreenshot(640, 480)).toBe('The screen was captured, 640 x 480.');
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
