/** The main job of the service, walked through with everything real: processes, sockets, files, screenshots. */
import { toErrorBody } from '@berth/testing';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { TaskStatus, TaskType, TerminalStatus, type Platform } from '@berth/contract';
import type { TestStack } from '@berth/testing';
import { PNG } from 'pngjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TerminalUser, type EndedTask } from './terminal-user.ts';

/** A service with a host that runs terminals of the platform in region 2. */
export interface MainJobPlace {
  stack: TestStack;
  close(): Promise<void>;
}

interface Screenshot {
  url: string;
  sha256: string;
  width: number;
  height: number;
  type: string;
}

/** Downloads the file of a finished screenshot and decodes it. */
const decode = async (user: TerminalUser, task: EndedTask): Promise<PNG> => {
  const file = task.data.file as Screenshot;
  const content = await user.download(file.url);
  expect(createHash('sha256').update(content).digest('hex')).toBe(file.sha256);
  expect(file.type).toBe('image/png');
  const png = PNG.sync.read(content);
  expect([png.width, png.height]).toEqual([file.width, file.height]);
  return png;
};

/** Share of pixels that differ between two screenshots of one size. */
const toDifference = (a: PNG, b: PNG): number => {
  expect([a.width, a.height]).toEqual([b.width, b.height]);
  let different = 0;
  for (let index = 0; index < a.data.length; index += 4) {
    if (a.data.readUInt32BE(index) !== b.data.readUInt32BE(index)) different += 1;
  }
  return different / (a.width * a.height);
};

/** Declares the tests of all types of tasks on one platform. */
export const testMainJob = (platform: Platform, open: () => Promise<MainJobPlace>): void => {
  let place: MainJobPlace | undefined;
  let stack: TestStack;
  let user: TerminalUser;
  let terminalId: string;
  const ending = platform === 'mt4' ? 'ex4' : 'ex5';

  beforeAll(async () => {
    place = await open();
    stack = place.stack;
    user = new TerminalUser(stack.url, (await stack.register('Main Job')).token);
    const created = await user.createTerminal({
      server_name: 'Harbour-Demo',
      login: '5001',
      password: 'pass-5001',
      region: 2,
      platform,
    });
    expect(created).toMatchObject({ status: TerminalStatus.PENDING, name: '5001', region: 2 });
    terminalId = created.id;
    await user.waitForStatus(terminalId, 'ACTIVE');
  });

  afterAll(() => place?.close());

  const takeScreenshot = async (payload?: Record<string, unknown>): Promise<PNG> =>
    decode(user, await user.run(terminalId, 'SCREENSHOT', payload));

  describe(`the main job on ${platform}`, () => {
    let before: PNG;
    let chartId: string;
    const expert = Buffer.from('not a program, but the sandbox loads it all the same');

    it('installs a terminal that is where it says, with a finished TERMINAL_INSTALL', async () => {
      const terminal = await user.getTerminal(terminalId);
      expect(terminal).toMatchObject({ status_name: 'ACTIVE', platform, deleted_at: null });
      expect(existsSync(terminal.path ?? '')).toBe(true);
      const [first] = await user.berth.tasks.list(terminalId).toArray();
      const install = await user.waitForEnd(terminalId, first?.id ?? '');
      expect(install).toMatchObject({ type: TaskType.TERMINAL_INSTALL, status: TaskStatus.COMPLETED, attempts: 1 });
      expect(install.data.path).toBe(terminal.path);
      expect(install.data.build).toBeTypeOf('number');
    });

    it('takes a screenshot that is not blank', async () => {
      before = await takeScreenshot({ width: 1000, height: 700 });
      expect([before.width, before.height]).toEqual([1000, 700]);
      const colours = new Set(
        Array.from({ length: before.data.length / 4 }, (_, index) => before.data.readUInt32BE(index * 4)),
      );
      expect(colours.size).toBeGreaterThan(20);
    });

    it('installs an expert, and the screenshot shows it', async () => {
      const file = await user.upload(`Harbour.${ending}`, expert);
      const payload = {
        name: 'Harbour',
        file_id: file.id,
        symbol: 'GBPUSD',
        period: 'M15',
        inputs: { Lots: 0.1, Comment: 'hello' },
      };
      const task = await user.run(terminalId, 'EA_INSTALL', { ...payload, allow_algo_trading: 1 });
      expect(task.data).toMatchObject({ sha256: file.sha256 });
      chartId = String(task.data.chart_id);
      const after = await takeScreenshot({ width: 1000, height: 700 });
      expect(toDifference(before, after)).toBeGreaterThan(0.02);
    });

    it('shows what the expert printed', async () => {
      const task = await user.run(terminalId, 'EA_LOGS', { source: 'experts', lines: 100 });
      expect(JSON.stringify(task.data.lines)).toContain('Harbour');
      const journal = await user.run(terminalId, 'EA_LOGS', { source: 'journal', contains: 'loaded successfully' });
      expect(JSON.stringify(journal.data.lines)).toContain('Harbour');
    });

    it('updates the expert by new content and new inputs', async () => {
      const file = await user.upload(`Harbour-2.${ending}`, Buffer.from('a newer version'));
      const task = await user.run(terminalId, 'EA_UPDATE', {
        chart_id: chartId,
        file_id: file.id,
        inputs: { Lots: 0.2 },
      });
      expect(task.data).toMatchObject({ sha256: file.sha256 });
      expect(task.data.old_sha256).toBe(createHash('sha256').update(expert).digest('hex'));
    });

    it('switches auto trading on and off', async () => {
      const on = await user.run(terminalId, 'OPTIONS_AUTO_TRADE', { allow_algo_trading: 1 });
      expect(on.data).toMatchObject({ enabled: true, verified: true });
      const off = await user.run(terminalId, 'OPTIONS_AUTO_TRADE', { allow_algo_trading: 0 });
      expect(off.data).toMatchObject({ enabled: false, verified: true });
    });

    it('puts a URL on the whitelist and takes it off again', async () => {
      const added = await user.run(terminalId, 'OPTIONS_WEB_REQUEST', { url: 'https://signals.example.com' });
      expect(added.data.urls).toEqual(['https://signals.example.com']);
      const removed = await user.run(terminalId, 'OPTIONS_WEB_REQUEST', {
        url: 'https://signals.example.com',
        remove: 1,
      });
      expect(removed.data.urls).toEqual([]);
    });

    it('shows every symbol in the market watch', async () => {
      const task = await user.run(terminalId, 'MARKET_WATCH_SHOW_ALL');
      expect(task.data.symbols).toBeGreaterThan(10);
    });

    it('measures the latency to the trading server', async () => {
      const task = await user.run(terminalId, 'SCREENSHOT_LATENCY', { samples: 3, chart_id: chartId });
      await decode(user, task);
      const { min, avg, max, loss } = task.data.latency_ms as Record<string, number>;
      expect(loss).toBe(0);
      expect(min).toBeGreaterThan(0);
      expect(avg).toBeGreaterThanOrEqual(min ?? 0);
      expect(max).toBeGreaterThanOrEqual(avg ?? 0);
    });

    it('logs in to another account, and the screenshot shows it', async () => {
      const anywhere = await takeScreenshot({ width: 1000, height: 700 });
      const payload = { login: '5002', password: 'pass-5002', server_name: 'Harbour-Live' };
      const task = await user.run(terminalId, 'ACCOUNT_LOGIN', payload);
      expect(task.data).toMatchObject({ login: '5002', server_name: 'Harbour-Live', connected: true });
      expect(task.payload).toMatchObject({ password: '********' });
      expect(await user.getTerminal(terminalId)).toMatchObject({ login: '5002', server_name: 'Harbour-Live' });
      expect(toDifference(anywhere, await takeScreenshot({ width: 1000, height: 700 }))).toBeGreaterThan(0.001);
    });

    it('refuses a wrong password with E_AUTH, once, and says so on the terminal', async () => {
      const payload = { login: '5002', password: 'wrong', server_name: 'Harbour-Live' };
      const task = await user.waitForEnd(terminalId, await user.createTask(terminalId, 'ACCOUNT_LOGIN', payload));
      expect(task).toMatchObject({ status: TaskStatus.FAILED, attempts: 1 });
      expect(task.result.runner_result.at(-1)?.code).toBe('E_AUTH');
      expect(await user.waitForStatus(terminalId, 'LOGIN_FAILED')).toMatchObject({ login: '5002' });
    });

    it('logs in with the stored password when none is given', async () => {
      const task = await user.run(terminalId, 'ACCOUNT_LOGIN');
      expect(task.data).toMatchObject({ login: '5002', connected: true });
      await user.waitForStatus(terminalId, 'ACTIVE');
    });

    it('learns a server, by name and address or by the file that MetaTrader 4 wants', async () => {
      const servers = [{ name: 'Quay-Real', address: '127.0.0.1:4433' }];
      if (platform !== 'mt4') {
        const task = await user.run(terminalId, 'ACCOUNT_SERVER', { servers });
        expect(task.data.known).toContain('Quay-Real');
        return;
      }
      const refused = await user.waitForEnd(
        terminalId,
        await user.createTask(terminalId, 'ACCOUNT_SERVER', { servers }),
      );
      expect(refused.result.runner_result.at(-1)?.code).toBe('E_UNSUPPORTED');
      const content = Buffer.alloc(512);
      content.write('Quay-Real');
      const file = await user.upload('Quay-Real.srv', content);
      const task = await user.run(terminalId, 'ACCOUNT_SERVER', { file_id: file.id });
      expect(task.data.known).toEqual(['Quay-Real']);
    });

    it('opens a demo account whose password appears nowhere', async () => {
      const payload = { server_name: 'Harbour-Demo', name: 'Ada Lovelace', email: 'ada@example.com', balance: 5000 };
      const task = await user.run(terminalId, 'ACCOUNT_OPEN_DEMO', payload);
      expect(Object.keys(task.data).sort()).toEqual(['login', 'server_name']);
      expect(JSON.stringify(task)).not.toContain('"password"');
      expect(await user.getTerminal(terminalId)).toMatchObject({ login: task.data.login });
      const relogin = await user.run(terminalId, 'ACCOUNT_LOGIN');
      expect(relogin.data).toMatchObject({ login: task.data.login, connected: true });
    });

    it('removes the expert', async () => {
      const task = await user.run(terminalId, 'EA_REMOVE', { name: 'Harbour', delete_file: 1 });
      expect(task.data.removed).toEqual([chartId]);
    });

    it('logs out', async () => {
      const task = await user.run(terminalId, 'ACCOUNT_LOGOUT', { forget_password: 1 });
      expect(task.data).toMatchObject({ connected: false });
      await user.waitForStatus(terminalId, 'STOPPED');
    });

    it('destroys the terminal: process, folder and listing', async () => {
      const { path } = await user.getTerminal(terminalId);
      expect(await user.berth.terminals.delete(terminalId)).toBe(terminalId);
      await user.waitUntilGone(terminalId);
      expect(existsSync(path ?? '')).toBe(false);
      const again = await stack.request('DELETE', `/v1/my/trading/terminals/${terminalId}`, { token: user.token });
      expect([again.status, again.body]).toEqual([404, toErrorBody('not_found', 'Terminal not found.')]);
      expect(await user.berth.terminals.list().toArray()).toEqual([]);
    });

    it('notified the owner of what happened', async () => {
      const told = await user.berth.account.notifications.list().toArray();
      const types = new Set(told.map(({ type }) => type.replace('App\\Notifications\\', '')));
      for (const type of ['TerminalReady', 'TerminalLoginFailed', 'TaskFailed', 'TerminalDestroyed'])
        expect(types).toContain(type);
    });
  });
};
