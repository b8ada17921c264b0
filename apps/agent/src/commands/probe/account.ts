import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandError, UsageError, type CallerWindow } from '@berth/command';
import type { BasedPlatform } from '../../bases/places.ts';

/** A demo account, which must not appear in the report. */
export interface ProbeAccount {
  login: string;
  password: string;
  /** The server's name, or its `host:port`. */
  server: string;
}

const NAMES = { login: 'BERTH_PROBE_LOGIN', password: 'BERTH_PROBE_PASSWORD', server: 'BERTH_PROBE_SERVER' } as const;
const MAX_INPUT_BYTES = 4096;

/** A line break would add a line to the terminal's start file. */
const toAccount = (fields: Partial<Record<keyof ProbeAccount, string>>): ProbeAccount | undefined => {
  const { login = '', password = '', server = '' } = fields;
  if (login === '') return undefined;
  if (!/^\d{1,20}$/.test(login)) throw new CommandError('The login of the demo account must be a number.');
  // eslint-disable-next-line no-control-regex -- matching control characters is the purpose
  const isText = (text: string): boolean => text !== '' && text.length <= 128 && !/[\u0000-\u001f]/.test(text);
  if (!isText(password) || !isText(server)) throw new CommandError('The demo account needs a password and a server.');
  return { login, password, server };
};

const readAccountFile = async (path: string): Promise<ProbeAccount | undefined> => {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${path} cannot be read (${error.code}).`);
  });
  const find = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1]?.trim() ?? '';
  const account = toAccount({ login: find(NAMES.login), password: find(NAMES.password), server: find(NAMES.server) });
  if (!account) throw new CommandError(`${path} holds no ${NAMES.login}=, ${NAMES.password}= and ${NAMES.server}=.`);
  return account;
};

const ask = async ({ input }: CallerWindow): Promise<ProbeAccount | undefined> => {
  let isHidden = false;
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (!isHidden) process.stderr.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input, output, terminal: true });
  try {
    const login = (await lines.question('Login of a demo account (empty for none): ')).trim();
    if (login === '') return undefined;
    const server = (await lines.question('Its server (a name, or host:port): ')).trim();
    process.stderr.write('Its password: ');
    isHidden = true;
    const password = await lines.question('');
    process.stderr.write('\n');
    return toAccount({ login, password, server });
  } finally {
    lines.close();
  }
};

const readLines = async ({ input }: CallerWindow): Promise<ProbeAccount | undefined> => {
  let text = '';
  for await (const chunk of input) {
    text += chunk.toString();
    if (text.length > MAX_INPUT_BYTES) throw new UsageError('The account takes three lines: login, password, server.');
  }
  const [login = '', password = '', server = ''] = text.split('\n').map((line) => line.replace(/\r$/, ''));
  return toAccount({ login: login.trim(), password, server: server.trim() });
};

/**
 * The demo account to probe with: from a file, typed in at a terminal, or as three lines of stdin. Never from an
 * argument, which everybody on the machine could read.
 * @returns undefined where none is given
 */
export const findAccount = (file: string | undefined, window: CallerWindow): Promise<ProbeAccount | undefined> => {
  if (file !== undefined) return readAccountFile(file);
  return window.input.isTTY === true ? ask(window) : readLines(window);
};

/** The text of a start file. MetaTrader 4 has no sections. Pure. */
export const toStartText = (platform: BasedPlatform, account: Partial<ProbeAccount>): string => {
  const { login, password, server } = account;
  const lines = [
    ...(login === undefined ? [] : [`Login=${login}`]),
    ...(password === undefined ? [] : [`Password=${password}`]),
    ...(server === undefined ? [] : [`Server=${server}`]),
  ];
  if (platform === 'mt4') return [...lines, 'ExpertsEnable=true', ''].join('\r\n');
  const experts = ['[Experts]', 'AllowLiveTrading=1', 'Enabled=1', 'Account=0', 'Profile=0'];
  return ['[Common]', ...lines, 'KeepPrivate=1', ...experts, ''].join('\r\n');
};

/** Anything but ASCII needs a UTF-16 byte order mark. Pure. */
export const encodeStartText = (text: string, isWide = Buffer.byteLength(text) !== text.length): Buffer =>
  isWide ? Buffer.from(`\ufeff${text}`, 'utf16le') : Buffer.from(text, 'utf8');
