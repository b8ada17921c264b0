import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { expect, test } from 'vitest';
import { waitFor } from '@berth/testing/wait-for';
import {
  addChart,
  addExpert,
  readJournal,
  readUtf16,
  toChartText,
  waitForLine,
  sandbox,
  root,
  useTerminal,
  type Reply,
  type RunningTerminal,
} from './sandbox.ts';

useTerminal();

const toPixels = async ({ png }: Reply) => {
  const image = await loadImage(Buffer.from(String(png), 'base64'));
  const context = createCanvas(image.width, image.height).getContext('2d');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  return { width: image.width, height: image.height, data: Buffer.from(data) };
};

/** The share of pixels in which two images of one size differ. */
const toDifference = (a: Buffer, b: Buffer): number => {
  let different = 0;
  for (let at = 0; at < a.length; at += 4) if (a.readInt32LE(at) !== b.readInt32LE(at)) different += 1;
  return different / (a.length / 4);
};

const shoot = async (terminal: RunningTerminal, fields: object = {}) =>
  toPixels(await terminal.ask({ op: 'screenshot', width: 1280, height: 800, chart: null, ...fields }));

test.each([
  [320, 240],
  [1280, 800],
  [3840, 2160],
])('a screenshot of %i x %i is an image of that size with many colours', async (width, height) => {
  addChart(root, 'chart01.chr', toChartText('EURUSD'));
  const terminal = await sandbox.login(root);
  const image = await shoot(terminal, { width, height });
  expect(image).toMatchObject({ width, height });
  const colours = new Set<number>();
  for (let at = 0; at < image.data.length; at += 4) colours.add(image.data.readInt32LE(at));
  expect(colours.size).toBeGreaterThan(50);
});

test('the image shows the login, an expert and the algo trading switch', async () => {
  const offline = sandbox.startTerminal(root);
  const empty = await shoot(offline);
  await offline.stop();

  addChart(root, 'chart01.chr', toChartText('EURUSD'));
  const plain = await sandbox.login(root);
  const loggedIn = await shoot(plain);
  expect(toDifference(empty.data, loggedIn.data)).toBeGreaterThan(0.02);
  await plain.stop();

  addExpert(root, 'Rider');
  writeFileSync(join(root, 'MQL5/Profiles/Charts/Default/chart01.chr'), toChartText('EURUSD', 'Rider'));
  const terminal = await sandbox.login(root);
  const withExpert = await shoot(terminal, { chart: 'chart01.chr' });
  await terminal.ask({ op: 'keys', keys: 'ctrl+e' });
  const switched = await shoot(terminal, { chart: 'chart01.chr' });
  expect(toDifference(withExpert.data, switched.data)).toBeGreaterThan(0);
});

test('an image of one chart differs from the window, and an unknown chart is refused', async () => {
  addChart(root, 'chart01.chr', toChartText('EURUSD'));
  const terminal = await sandbox.login(root);
  const window = await shoot(terminal);
  const chart = await shoot(terminal, { chart: 'chart01.chr' });
  expect(toDifference(window.data, chart.data)).toBeGreaterThan(0.05);
  const reply = await terminal.ask({ op: 'screenshot', width: 800, height: 600, chart: 'chart99.chr' });
  expect(reply).toEqual({ ok: false, error: 'unknown_chart' });
});

test('an idle terminal stays below 60 MB, as the renderer comes with the first image', async () => {
  const terminal = await sandbox.login(root);
  const status = readFileSync(`/proc/${terminal.child.pid}/status`, 'utf8');
  expect(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024).toBeLessThan(60);
});

test('ctrl+e switches algo trading and says so', async () => {
  const terminal = sandbox.startTerminal(root);
  expect(await terminal.ask({ op: 'keys', keys: 'ctrl+e' })).toEqual({ ok: true });
  await waitForLine(root, 'automated trading is enabled');
  await terminal.stop();
  expect(readUtf16(join(root, 'config/common.ini'))).toContain('Enabled=1');
});

const demo = { op: 'open_demo', server: 'Demo-Server', name: 'Ann', email: 'ann@example.com' };

test('a demo account is opened, announced, logged in and saved', async () => {
  const terminal = sandbox.startTerminal(root);
  const reply = await terminal.ask({ ...demo, balance: 5000, leverage: 200, currency: 'EUR' });
  expect(reply.ok).toBe(true);
  expect(reply.login).toMatch(/^\d{8}$/);
  expect(reply.password).toMatch(/.{8}/);
  await waitForLine(root, `new demo account '${String(reply.login)}' opened on Demo-Server`);
  await waitForLine(root, `'${String(reply.login)}': trading has been enabled, demo account - hedging mode`);
  await terminal.stop();
  expect(readJournal(root).join('\n')).not.toContain(String(reply.password));
  sandbox.startTerminal(root);
  await waitFor(() => readJournal(root).filter((line) => line.includes('authorized on')).length === 2, {
    what: 'the login by itself',
  });
});

test.each([
  ['Unreachable-1', 'no_connection'],
  ['127.0.0.1:9', 'no_connection'],
  ['Unknown-1', 'unknown_server'],
])('no demo account on %s: %s', async (server, error) => {
  const terminal = sandbox.startTerminal(root);
  expect(await terminal.ask({ ...demo, server })).toEqual({ ok: false, error });
});

test('the list of allowed addresses survives a clean stop, not a kill, and not the way to another folder', async () => {
  const urls = ['https://a.b', 'http://c.d:8080'];
  const terminal = sandbox.startTerminal(root);
  await terminal.ask({ op: 'web_request', urls: ['https://lost.example'] });
  await terminal.kill();
  const next = sandbox.startTerminal(root);
  expect(await next.ask({ op: 'web_request_list' })).toEqual({ ok: true, urls: [] });
  expect(await next.ask({ op: 'web_request', urls })).toEqual({ ok: true });
  await next.stop();
  const options = join(root, 'config/common.ini');
  expect(readUtf16(options)).toMatch(/\r\nWebRequest=1\r\nWebRequestUrl=[0-9A-F]{40,}\r\n/);
  const again = sandbox.startTerminal(root);
  expect(await again.ask({ op: 'web_request_list' })).toEqual({ ok: true, urls });
  await again.stop();

  const other = sandbox.install('u');
  copyFileSync(options, join(other, 'config/common.ini'));
  expect(await sandbox.startTerminal(other).ask({ op: 'web_request_list' })).toEqual({ ok: true, urls: [] });
});

test.each([
  [{ op: 'status' }, 'unknown_operation'],
  [{ op: 'keys', keys: 'alt+f4' }, 'unknown_keys'],
  [{ op: 'screenshot', width: 1e9, height: 5 }, 'invalid_request'],
  [{ op: 'web_request', urls: ['https://a.b/path'] }, 'invalid_request'],
  [{ op: 'web_request', urls: ['file:///etc'] }, 'invalid_request'],
  [{ op: 'open_demo', server: 'a\nb', name: 'x', email: 'y' }, 'invalid_request'],
  [[], 'unknown_operation'],
])('the display refuses %j', async (request, error) => {
  const terminal = sandbox.startTerminal(root);
  expect(await terminal.ask(request)).toEqual({ ok: false, error });
});

test('a line without end is cut off and the display serves the next caller', async () => {
  const terminal = sandbox.startTerminal(root, { env: { BERTH_SANDBOX_DISPLAY: join(sandbox.folder, 'd') } });
  await waitFor(() => existsSync(join(sandbox.folder, 'd')), { what: 'the display' });
  const socket = connect(join(sandbox.folder, 'd'));
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write('x'.repeat(200_000));
  await closed;
  expect(terminal.child.exitCode).toBeNull();
});

test('a socket that a killed terminal left is replaced, and a clean stop removes it', async () => {
  const path = join(sandbox.folder, 'd');
  const options = { env: { BERTH_SANDBOX_DISPLAY: path } };
  const first = sandbox.startTerminal(root, options);
  await waitFor(() => existsSync(path), { what: 'the display' });
  await first.kill();
  expect(existsSync(path)).toBe(true);
  const second = sandbox.startTerminal(root, options);
  await waitFor(
    () =>
      new Promise((resolve) => {
        const socket = connect(path, () => (socket.destroy(), resolve(true)));
        socket.once('error', () => resolve(false));
      }),
    { what: 'an answer' },
  );
  await second.stop();
  expect(existsSync(path)).toBe(false);
});
