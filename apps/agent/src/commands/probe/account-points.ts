import { REAL_WAITS } from '../../platforms/metatrader/editions/real/real-edition.ts';
import { inSeconds, toFinding, type Point, type Trial } from './point.ts';
import { encodeStartText, toStartText } from './account.ts';
import type { ProbeTerminal } from './probe-terminal.ts';

const LOGIN = /authorized on|login on|authorization on .* failed|no connection to|(?:login|connect) failed/;
const DONE = /authorized on|'\d+': login on/;

const logIn = async ({ terminal, account }: Trial, fields = account): Promise<string | undefined> => {
  await terminal.startWith(encodeStartText(toStartText(terminal.platform, fields ?? {})));
  const line = await terminal.waitForLine(LOGIN);
  await terminal.dropStartFile();
  return line;
};

const COUNT_SWITCHES = `cd "$1" && for folder in [Ll]ogs MQL[45]/[Ll]ogs; do
  [ -d "$folder" ] && echo "$folder $(cat "$folder"/*.log 2>/dev/null | tr -d '\\000' | grep -ci 'automated trading')"
done; true`;

/** In which of its two logs a terminal says that Algo Trading was switched: both have been seen. */
const listSwitchedIn = async (terminal: ProbeTerminal): Promise<string[]> =>
  (await terminal.run(COUNT_SWITCHES, terminal.root)).split('\n').flatMap((line) => {
    const [, folder, count] = /^(\S+) (\d+)$/.exec(line) ?? [];
    return folder === undefined ? [] : [`In ${folder}: ${count} lines of it.`];
  });

/** What happens at logins, and what a terminal saves of them. The order matters: each continues from the one before. */
export const accountPoints: readonly Point[] = [
  {
    id: 'unknown-server',
    title: 'A server that it does not know is met with silence',
    tried: 'Started with a login at a server of an invented name, and waited.',
    async run({ terminal }) {
      const beganAtMs = performance.now();
      const line = await logIn({ terminal, account: { login: '1', password: 'x', server: 'No-Such-Server' } });
      await terminal.close();
      // A shorter silence says nothing: the line may be on its way.
      const isExpected = terminal.patienceMs >= REAL_WAITS.loginSilenceMs ? true : undefined;
      return toFinding(line === undefined ? isExpected : false, [
        line ?? `Nothing for ${inSeconds(performance.now() - beganAtMs)}.`,
      ]);
    },
  },
  {
    id: 'login',
    title: 'It logs in by its start file',
    tried: 'Started with login, password and server as they were given.',
    needsAccount: true,
    async run(trial) {
      const beganAtMs = performance.now();
      const line = await logIn(trial);
      const tookMs = performance.now() - beganAtMs;
      const rest = (await trial.terminal.lines()).filter((text) => /Network|Experts/.test(text)).slice(0, 8);
      return toFinding(line === undefined ? undefined : DONE.test(line), [
        line ?? 'No word about the login.',
        `On the disk after ${inSeconds(tookMs)}.`,
        ...rest,
      ]);
    },
  },
  {
    id: 'trading',
    title: 'Algo Trading stays on after the first login',
    tried:
      'Looked for "automated trading ..." after a start with Enabled=1, AllowLiveTrading=1 and Account=0, pressed Ctrl+E, and looked again, in the journal and in the log of experts.',
    needsAccount: true,
    async run({ terminal }) {
      const listLines = async () => (await terminal.lines()).filter((line) => /automated trading/i.test(line));
      await terminal.waitForLine(/automated trading/i, terminal.patienceMs / 4);
      const before = await listLines();
      const seen = before.length > 0 ? before : ['At the start no such line, as with builds 5147 to 5430.'];
      await terminal.pressKeys('ctrl+e');
      await terminal.waitForLine(/automated trading (?:is )?disabled/i, terminal.patienceMs / 4);
      const after = (await listLines()).slice(before.length);
      // The button toggles: if it switched off, it was on.
      const isOn = after.length === 0 ? undefined : after.some((line) => /disabled/i.test(line));
      await terminal.pressKeys('ctrl+e');
      const said = after.length > 0 ? after : ['The key made no line in the journal.'];
      return toFinding(isOn, [...seen, ...said, ...(await listSwitchedIn(terminal))]);
    },
  },
  {
    id: 'saved-login',
    title: 'It logs in again without the password',
    tried: 'Closed it, and started it without any start file.',
    needsAccount: true,
    async run({ terminal }) {
      await terminal.close();
      const { accountsFile } = terminal.place;
      const size = (await terminal.run('stat -c %s "$1"/[Cc]onfig/"$2"', terminal.root, accountsFile)).trim();
      await terminal.start();
      const line = await terminal.waitForLine(LOGIN);
      const selected = await terminal.run('find "$1" -iname "selected-*.dat" | wc -l', terminal.root);
      return toFinding(line === undefined ? undefined : DONE.test(line), [
        `${accountsFile} has ${size === '' ? 'no' : size} bytes; ${selected.trim()} lists of symbols are kept.`,
        line ?? 'No word about a login.',
      ]);
    },
  },
  {
    id: 'logout',
    title: 'Without an account it asks for one',
    tried: 'Closed it, deleted the accounts that it keeps, started it, and looked at its windows.',
    async run({ terminal }) {
      await terminal.close();
      await terminal.run('rm -f "$1"/[Cc]onfig/"$2"', terminal.root, terminal.place.accountsFile);
      await terminal.start();
      await terminal.waitForLine(LOGIN, terminal.patienceMs / 4);
      const titles = await terminal.titles();
      await terminal.close();
      const isAsking = titles.some((title) => /open an account|login/i.test(title));
      return toFinding(
        isAsking,
        titles.map((title) => `Window: ${title}`),
      );
    },
  },
];
