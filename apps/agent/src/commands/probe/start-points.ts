import { START_FILE, type ProbeTerminal } from './probe-terminal.ts';
import { findBuild } from '../prepare-base/first-start.ts';
import { inSeconds, toFinding, type Point } from './point.ts';
import { encodeStartText, toStartText } from './account.ts';

const MAX_SAMPLE_LINES = 6;
const MAX_CONTROLS = 500;
const TIME_OF_OPTIONS = 'stat -c %Y "$1"/[Cc]onfig/"$2" 2>/dev/null';

/** When the terminal last saved its options. */
const findSaveTime = (terminal: ProbeTerminal): Promise<string> =>
  terminal.run(TIME_OF_OPTIONS, terminal.root, terminal.place.optionsFile);

/** How a terminal starts and ends, and what it does with start files. */
export const startPoints: readonly Point[] = [
  {
    id: 'start',
    title: 'It starts in a box',
    tried:
      'Started with /portable: own processes, a filter of system calls, a Windows that it cannot write, no OpenGL.',
    async run({ terminal }) {
      const { isStarted, hasWindow, tookMs } = await terminal.start();
      const seen = [
        `Journal ${isStarted ? 'yes' : 'no'}, window ${hasWindow ? 'yes' : 'no'}, after ${inSeconds(tookMs)}.`,
      ];
      const lines = (await terminal.lines()).slice(0, MAX_SAMPLE_LINES);
      return toFinding(isStarted && hasWindow, [
        ...seen,
        ...(await terminal.titles()).map((title) => `Window: ${title}`),
        ...lines,
      ]);
    },
  },
  {
    id: 'user',
    title: 'It does not run as root in its box',
    tried: 'Asked for the user of the box.',
    async run({ terminal }) {
      const user = (await terminal.run('id -u')).trim();
      return toFinding(user === '' ? undefined : user !== '0', [`The number of the user is ${user || 'not known'}.`]);
    },
  },
  {
    id: 'mcp',
    title: 'Its MCP server stays closed',
    tried: 'Looked for "MCP started", for a listener on port 22346, and at assistant.ini, after a start with Enable=0.',
    async run({ terminal }) {
      if (terminal.platform !== 'mt5') return { outcome: 'not tried', seen: ['MetaTrader 4 has no such server.'] };
      const lines = (await terminal.lines()).filter((line) => line.includes('MCP'));
      // 22346 in the kernel's notation, and the state LISTEN.
      const isOpen = (await terminal.run('grep -l ":574A .* 0A " /proc/net/tcp /proc/net/tcp6')).trim() !== '';
      const script = 'tr -d "\\000\\r" <"$1"/[Cc]onfig/assistant.ini | sed "s/^\\(ApiKey=\\).*/\\1.../" | head -20';
      const file = (await terminal.run(script, terminal.root)).split('\n').filter(Boolean);
      const seen = [...lines, isOpen ? 'Port 22346 is open.' : 'Port 22346 is closed.', ...file];
      return toFinding(!isOpen && lines.length === 0, seen);
    },
  },
  {
    id: 'dialogs',
    title: 'Its dialogs have controls that can be read',
    tried: 'Opened the options with Ctrl+O and listed what is in the dialog.',
    async run({ terminal }) {
      const { screen } = terminal.box;
      const before = await screen.listWindows();
      const main = before.find(({ owner, title }) => owner === null && title !== '');
      if (!main) return toFinding(undefined, ['There is no main window.']);
      await screen.ask({ requests: [{ op: 'key', window: main.handle, keys: 'ctrl+o' }] });
      const known = new Set(before.map(({ handle }) => handle));
      const dialog = await terminal.box
        .waitFor(
          'The dialog',
          async () => (await screen.listWindows()).find(({ handle }) => !known.has(handle)),
          terminal.patienceMs,
        )
        .catch(() => undefined);
      if (!dialog) return toFinding(false, ['No dialog came.']);
      const { answers } = await screen.ask({ requests: [{ op: 'controls', window: dialog.handle }] });
      const controls = ((answers as { controls?: { class?: unknown }[] }[])[0]?.controls ?? []).slice(0, MAX_CONTROLS);
      const classes = new Map<string, number>();
      for (const control of controls) classes.set(String(control.class), (classes.get(String(control.class)) ?? 0) + 1);
      await screen.ask({ requests: [{ op: 'close', window: dialog.handle }] });
      const list = [...classes].map(([name, count]) => `${name} ${count}`).join(', ');
      return toFinding(controls.length > 0, [`Dialog "${dialog.title}" with ${controls.length} controls: ${list}.`]);
    },
  },
  {
    id: 'second-start',
    title: 'A second start in the same folder does nothing',
    tried: 'Started the program again while it ran.',
    async run({ terminal }) {
      const before = (await terminal.lines()).length;
      const program = `C:\\${terminal.place.folderName}\\${terminal.place.program}`;
      const findCode = await terminal.box.start([program, '/portable'], terminal.patienceMs);
      const code = await terminal.box
        .waitFor('The second start', findCode, terminal.patienceMs * 2)
        .catch(() => undefined);
      const added = (await terminal.lines()).slice(before).filter((line) => findBuild(line) !== undefined);
      return toFinding(added.length === 0, [
        `It ended with the exit code ${code ?? 'unknown'}, and wrote ${added.length} starts.`,
      ]);
    },
  },
  {
    id: 'close',
    title: 'Closed by its window, it saves what it knows',
    tried: 'Sent WM_CLOSE to the main window, and looked whether its options were written anew.',
    async run({ terminal }) {
      const before = await findSaveTime(terminal);
      const tookMs = await terminal.close();
      if (tookMs === undefined) return toFinding(false, ['It did not end in time.']);
      const isSaved = (await findSaveTime(terminal)) !== before;
      const last = (await terminal.lines()).slice(-3);
      return toFinding(isSaved, [
        `Ended after ${inSeconds(tookMs)}; options ${isSaved ? '' : 'not '}written.`,
        ...last,
      ]);
    },
  },
  {
    id: 'terminate',
    title: 'SIGTERM ends it without saving',
    tried: 'Started it again, and sent SIGTERM to its process.',
    async run({ terminal }) {
      await terminal.start();
      const before = await findSaveTime(terminal);
      await terminal.run('pkill -TERM -x "$1"', terminal.place.program);
      const tookMs = await terminal.waitForEnd();
      const isSaved = (await findSaveTime(terminal)) !== before;
      if (tookMs === undefined) await terminal.box.end();
      const end = tookMs === undefined ? 'It went on running' : `Ended after ${inSeconds(tookMs)}`;
      return toFinding(tookMs !== undefined && !isSaved, [`${end}; options ${isSaved ? '' : 'not '}written.`]);
    },
  },
  ...(['ascii', 'utf16', 'quoted', 'missing'] as const).map((kind): Point => ({
    id: `start-file-${kind}`,
    title: {
      ascii: 'A start file in plain ASCII is read',
      utf16: 'A start file in UTF-16 is read',
      quoted: 'Quotes around the name of a start file do no harm',
      missing: 'A start file that is not there is complained of',
    }[kind],
    tried: {
      ascii: 'Started with /config:C:\\berth.ini, or with the name alone (MetaTrader 4).',
      utf16: 'Started with the same file in UTF-16.',
      quoted: 'Started with the name of the file in quotes.',
      missing: 'Started with the name of a file that is not there.',
    }[kind],
    async run({ terminal }) {
      const text = encodeStartText(toStartText(terminal.platform, {}), kind === 'utf16');
      const toName = {
        ascii: START_FILE,
        utf16: START_FILE,
        quoted: `"${START_FILE}"`,
        missing: 'C:\\no-such-file.ini',
      };
      await terminal.startWith(text, toName[kind]);
      const line = await terminal.waitForLine(/start config|launched with|cannot load config/, terminal.patienceMs / 4);
      await terminal.close();
      const isRead = line !== undefined && !line.includes('cannot load');
      return toFinding(kind === 'missing' ? !isRead : isRead, [line ?? 'The journal says nothing of it.']);
    },
  })),
  {
    id: 'wine-debug',
    title: 'WINEDEBUG=-all does not make it believe in a debugger',
    tried: 'Started it with the variable set.',
    async run({ terminal }) {
      const { isStarted, hasWindow } = await terminal.start([], { WINEDEBUG: '-all' });
      const titles = await terminal.titles();
      await terminal.close();
      return toFinding(
        isStarted && hasWindow,
        titles.map((title) => `Window: ${title}`),
      );
    },
  },
];
