/** `script/dev`: the server from sources that are watched, the dashboard by Vite with the API behind it, and some terminals. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { context } from 'esbuild';
import { createServer } from 'vite';
import { listBundles, root } from './bundles.mjs';

const { BERTH_PORT = '4100', BERTH_DATA_DIR = join(root, '.build/dev'), BERTH_DEV_PORT = '5173' } = process.env;
const serverUrl = `http://127.0.0.1:${BERTH_PORT}`;

const USER = { name: 'Ada Lovelace', email: 'ada@berth.local', password: 'trade-in-the-sandbox' };
/** Name, login and trading server. The broker of the last two is unknown, or does not answer. */
const ACCOUNTS = [
  ['Trend EURUSD', '5001', 'Harbour-Demo'],
  ['Grid GBPUSD', '5002', 'Harbour-Demo'],
  ['Gold breakout', '5003', 'Harbour-Live'],
  ['Challenge 50k', '5004', 'Northwind-Demo'],
  ['New account', '5005', 'Unknown-Live'],
  ['Copy follower', '5006', 'Unreachable-Live'],
];

let server;
let isStopping = false;

const startServer = () => {
  const child = spawn(process.execPath, [join(root, 'apps/server/dist/main.js')], {
    stdio: 'inherit',
    env: { BERTH_LOG_LEVEL: 'warn', ...process.env, BERTH_PORT, BERTH_DATA_DIR, BERTH_REGISTRATION: 'open' },
    // Ctrl+C reaches this process alone, which stops the server in its turn.
    detached: true,
  });
  child.once('exit', (code) => {
    if (child === server) process.stderr.write(`dev: the server ended (${code}); change a source.\n`);
  });
  server = child;
};

const stopServer = async () => {
  const child = server;
  server = undefined;
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
};

let restarting = Promise.resolve();
let isWanted = false;
/** Once for all that changed meanwhile. */
const restartServer = () => {
  if (isWanted) return;
  isWanted = true;
  restarting = restarting.then(async () => {
    await delay(100);
    isWanted = false;
    process.stderr.write('dev: the sources changed, the server starts again ...\n');
    await stopServer();
    if (!isStopping) startServer();
  });
};

/** Builds all programs, and again when a source of theirs changes. */
const watchSources = async () => {
  for (const bundle of listBundles()) {
    let isFirst = true;
    const restart = {
      name: 'berth-restart',
      setup: ({ onEnd }) =>
        onEnd(({ errors }) => {
          if (!isFirst && errors.length === 0) restartServer();
          isFirst = false;
        }),
    };
    const watched = await context({ ...bundle, minifyWhitespace: false, plugins: [...bundle.plugins, restart] });
    await watched.watch();
  }
};

/** @returns the answer's data; undefined when the server refuses, or is not there yet */
const call = async (path, { token, body }) => {
  const response = await fetch(`${serverUrl}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      accept: 'application/json',
      ...(body && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  }).catch(() => undefined);
  return response?.ok ? (await response.json()).data : undefined;
};

/** Until there is an answer: the server is ready a moment later, the hosts of the sandbox after it. */
const insist = async (path, request) => {
  for (;;) {
    const data = await call(path, request);
    if (data !== undefined) return data;
    await delay(200);
  }
};

/** The user, and those of the terminals that are not there yet. */
const seed = async () => {
  while (!(await fetch(`${serverUrl}/readyz`).catch(() => undefined))?.ok) await delay(100);
  const { email, password } = USER;
  const made = await call('/v1/auth/register', { body: USER });
  const { token } = made ?? (await insist('/v1/auth/login', { body: { email, password } }));
  const there = await insist('/v1/my/trading/terminals', { token });
  for (const [name, login, server_name] of ACCOUNTS) {
    if (there.some((terminal) => terminal.login === login)) continue;
    const body = { name, login, server_name, password: `pass-${login}`, platform: 'sandbox' };
    await insist('/v1/my/trading/terminals', { token, body });
  }
};

/** The icon is outside of the page's folder: Vite serves such a file by its whole path. */
const findIcon = {
  name: 'berth-icon',
  transformIndexHtml: { order: 'pre', handler: (html) => html.replace('../../docs/', `/@fs${root}/docs/`) },
};

const startPage = async () => {
  const page = await createServer({
    root: join(root, 'apps/dashboard'),
    configLoader: 'runner',
    logLevel: 'warn',
    plugins: [findIcon],
    server: {
      host: '127.0.0.1',
      port: Number(BERTH_DEV_PORT),
      strictPort: true,
      fs: { allow: [root] },
      // What the page is not: the API, the documentation, flags and links of mails.
      proxy: { '^/(v1|docs|openapi.json|flags|healthz|readyz|metrics)(/|$|\\?)': { target: serverUrl } },
    },
  });
  await page.listen();
  return page;
};

const stop = async () => {
  if (isStopping) return;
  isStopping = true;
  await restarting;
  await stopServer();
  process.exit(0);
};
process.on('SIGINT', () => void stop());
process.on('SIGTERM', () => void stop());

startServer();
await startPage();
await seed();
process.stdout.write(`
The page, which follows its sources:  http://127.0.0.1:${BERTH_DEV_PORT}
Sign in as ${USER.email} with ${USER.password}. The API is at ${serverUrl}, the data in ${BERTH_DATA_DIR}.

`);
await watchSources();
