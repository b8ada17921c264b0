import { randomUUID } from 'node:crypto';
import { sleep } from '@berth/kit';
import { encodeText } from '../../platforms/metatrader/files/text-file.ts';
import { mt4Link, mt5Link } from '../../platforms/metatrader/link/link-form.ts';
import { toServicesText } from '../../platforms/metatrader/link/prepare-link.ts';
import { encodeStartText, toStartText } from './account.ts';
import { toFinding, type Finding, type Point, type Trial } from './point.ts';
import type { ProbeTerminal } from './probe-terminal.ts';

const LOOK_MS = 500;
const EXPIRY_MS = 10 * 60_000;
const NO_POSITION = 10_036;
/** What may stand in a report: nothing of the account itself. */
const SHOWN = ['program', 'kind', 'build', 'is_synchronized', 'trading_allowed', 'margin_mode', 'positions_total'];

const NONE: Finding = {
  outcome: 'not tried',
  seen: ['The base has no compiled link program; prepare-base said why when it made the base.'],
};

const hasProgram = async (terminal: ProbeTerminal): Promise<boolean> => {
  const { programs } = terminal.platform === 'mt5' ? mt5Link : mt4Link;
  const paths = programs.map(({ path }) => `${terminal.root}/${path}`);
  return (await terminal.run('for file; do test -s "$file" || exit; done; echo yes', ...paths)).trim() === 'yes';
};

const readObject = async (terminal: ProbeTerminal, path: string): Promise<Record<string, unknown> | undefined> => {
  try {
    const value: unknown = JSON.parse(await terminal.run('cat "$1"', `${terminal.root}/${path}`));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    // Not there yet.
    return undefined;
  }
};

const waitForObject = async (
  terminal: ProbeTerminal,
  path: string,
  fits: (value: Record<string, unknown>) => boolean = () => true,
): Promise<Record<string, unknown> | undefined> => {
  const deadline = performance.now() + terminal.patienceMs;
  for (;;) {
    const found = await readObject(terminal, path);
    if ((found && fits(found)) || performance.now() >= deadline) return found;
    await sleep(LOOK_MS);
  }
};

const startWithService = async ({ terminal, account }: Trial): Promise<void> => {
  await terminal.close();
  const config = (await terminal.run('ls -d "$1"/[Cc]onfig | head -1', terminal.root)).trim();
  const text = toServicesText('', mt5Link.service!);
  await terminal.put(encodeText({ text, encoding: 'utf16le' }), `${config}/services.ini`);
  await terminal.startWith(encodeStartText(toStartText(terminal.platform, account ?? {})));
};

/** The program that tells what an account has: never run in a real terminal. */
export const linkPoints: readonly Point[] = [
  {
    id: 'link-compiled',
    title: 'Its MetaEditor compiles the link program',
    tried: 'Looked for the compiled programs in the base.',
    async run({ terminal }) {
      if (await hasProgram(terminal)) return toFinding(true, ['The compiled programs are there.']);
      return toFinding(undefined, NONE.seen);
    },
  },
  {
    id: 'link-service',
    title: 'A service from services.ini starts with the terminal, writes its file, and may trade',
    tried: 'Wrote services.ini with the link program, started with the account, and waited for account.json.',
    needsAccount: true,
    async run(trial) {
      const { terminal } = trial;
      if (terminal.platform !== 'mt5') return { outcome: 'not tried', seen: ['MetaTrader 4 has no services.'] };
      if (!(await hasProgram(terminal))) return NONE;
      await startWithService(trial);
      const path = `${mt5Link.folder}/account.json`;
      const file = await waitForObject(terminal, path, (value) => value.is_synchronized === true);
      await terminal.dropStartFile();
      const lines = (await terminal.lines()).filter((line) => /service/i.test(line)).slice(0, 5);
      const shown = file && SHOWN.map((name) => `${name}: ${JSON.stringify(file[name])}`).join(', ');
      const isFine = file?.is_synchronized === true && file.trading_allowed === true;
      return toFinding(isFine, [shown ?? 'No account.json came.', ...lines]);
    },
  },
  {
    id: 'link-command',
    title: 'The service takes a command by renaming its file, and answers it',
    tried: 'Asked it to close a position that does not exist. Nothing is sent to the broker.',
    needsAccount: true,
    async run({ terminal }) {
      const file = await readObject(terminal, `${mt5Link.folder}/account.json`);
      if (!file) return { outcome: 'not tried', seen: ['There is no account.json.'] };
      const id = randomUUID();
      const now = Date.now();
      const [sent_at, expires_at] = [now, now + EXPIRY_MS].map((ms) => new Date(ms).toISOString());
      const { login, server } = file;
      const command = { v: 1, id, login, server, sent_at, expires_at, action: 'close_position', ticket: '1' };
      const path = `${terminal.root}/${mt5Link.folder}/commands/${id}.json`;
      await terminal.put(Buffer.from(JSON.stringify(command)), path);
      const answer = await waitForObject(terminal, `${mt5Link.folder}/answers/${id}.json`);
      await terminal.close();
      const seen = answer ? `retcode ${String(answer.retcode)}: ${String(answer.message)}` : 'No answer came.';
      // What the terminal refuses before it looks for the position says nothing about the command.
      return toFinding(answer && (answer.retcode === NO_POSITION ? true : undefined), [seen]);
    },
  },
];
