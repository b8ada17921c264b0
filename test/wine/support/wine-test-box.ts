/** Boxes with Wine in them, for what isolates alone: the launcher's own tests have the launcher around it. */
import { chownSync, copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { startBox, type BoxChanges, type TestBox } from './test-box.ts';
import { ensureTestPrefix } from './test-prefix.ts';
import { hostileProgram, windowProgram } from './windows-programs.ts';
import { getLoader, getServer } from './wine-tools.ts';

/** A terminal's folder, as a box of Wine has it. */
export interface WineFolder {
  prefix: string;
  driveC: string;
  /** The base's; all boxes share it. */
  windows: string;
  /** Under which user the box runs; undefined: the agent's. */
  user: number | undefined;
}

const giveTo = (path: string, user: number | undefined): void => {
  if (user !== undefined) execFileSync('chown', ['-hR', `${user}:${user}`, path]);
};

/** Makes the folder from the tests' base: everything but `windows/`, drive C alone, and the two programs of the tests. */
export const makeWineFolder = async (folder: string, user: number | undefined): Promise<WineFolder> => {
  const base = await ensureTestPrefix();
  const driveC = join(folder, 'drive_c');
  mkdirSync(join(driveC, 'windows'), { recursive: true });
  const copy = (from: string, to: string, but: readonly string[]) => {
    for (const name of readdirSync(from).filter((entry) => !but.includes(entry))) {
      execFileSync('cp', ['-a', join(from, name), to]);
    }
  };
  copy(base, folder, ['drive_c']);
  copy(join(base, 'drive_c'), driveC, ['windows']);
  for (const name of readdirSync(join(folder, 'dosdevices'))) {
    if (name !== 'c:') rmSync(join(folder, 'dosdevices', name));
  }
  for (const program of [hostileProgram, windowProgram].filter((path) => existsSync(path))) {
    copyFileSync(program, join(driveC, program.endsWith('hostile.exe') ? 'hostile.exe' : 'berth-window.exe'));
  }
  giveTo(folder, user);
  return { prefix: folder, driveC, windows: join(base, 'drive_c/windows'), user };
};

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A line of a script that runs a Windows program of drive C and waits for it. Nobody gets a pipe: Wine's programs keep it. */
export const toWineLine = (program: string, ...args: string[]): string =>
  `${getLoader()} ${[`C:\\${program}`, ...args].map(quote).join(' ')} > /dev/null 2>&1`;

/**
 * Wine's server is there before the first program, as the agent has it, and until the box ends: where two programs start it at
 * once, or one starts it while it ends, Debian's Wine does not find its folder ("chdir to /tmp/wine-...") and gives up.
 */
export const startWineBox = (
  script: string,
  { prefix, windows, user }: WineFolder,
  changes: Partial<BoxChanges> & Pick<BoxChanges, 'files'>,
): TestBox =>
  startBox(`${getServer()} -p\n${script}`, {
    ...(user === undefined ? {} : { user }),
    limits: { fileSizeBytes: 256 * 1024 * 1024, openFiles: 4096, processes: 150 },
    mounts: {
      read: [],
      write: [{ from: prefix, to: '/prefix' }],
      readOver: [{ from: windows, to: '/prefix/drive_c/windows' }],
      temporary: [{ to: '/prefix/drive_c/windows/temp', sizeBytes: 16 * 1024 * 1024 }],
    },
    environment: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: '/home/trader',
      USER: 'trader',
      LANG: 'C.UTF-8',
      DISPLAY: ':9',
      WINEPREFIX: '/prefix',
      WINEDLLOVERRIDES: 'mscoree,mshtml=d;winemenubuilder.exe=d',
    },
    folder: '/prefix/drive_c',
    ...changes,
  });

/** One line of what the hostile program got. */
export type Loot = { attack: string; got?: boolean; result?: number } & Record<string, unknown>;

/**
 * Lines of a script that listen on a port of all addresses of the box, call there once, and say `listens on` with these addresses
 * and `a caller` for each that comes. No program of Wine's: it costs the box next to nothing.
 */
export const toListener = (port: number): string => `
    perl -MIO::Socket::INET -e '$| = 1;
      my $server = IO::Socket::INET->new(LocalAddr => "0.0.0.0", LocalPort => ${port}, Listen => 9) or die $@;
      while (my $caller = $server->accept) { print "a caller\n" }' &
    until (: < /dev/tcp/127.0.0.1/${port}) 2> /dev/null; do sleep 0.1; done
    echo "listens on 127.0.0.1 $(hostname -I)"`;

/** Attacks one after another in a new box. @param before lines of a script @returns what each got, in order */
export const attackInBox = async (
  attacks: readonly (readonly string[])[],
  folder: WineFolder,
  changes: Partial<BoxChanges> & Pick<BoxChanges, 'files'>,
  before = '',
): Promise<Loot[]> => {
  const loot = join(folder.driveC, 'loot.txt');
  rmSync(loot, { force: true });
  const lines = attacks.map((attack) => toWineLine('hostile.exe', '--to', 'C:\\loot.txt', ...attack));
  const box = startWineBox([before, ...lines].join('\n'), folder, changes);
  await box.ended;
  if (!existsSync(loot) || !lstatSync(loot).isFile()) throw new Error(`no attack was made: ${box.output()}`);
  return readFileSync(loot, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Loot);
};

/**
 * A notepad on a screen of its own, which is asked for its window again and again; says `beat` for each answer.
 * @param before lines of a script
 */
export const startNotepad = (
  folder: WineFolder,
  changes: Partial<BoxChanges> & Pick<BoxChanges, 'files'>,
  before = '',
): TestBox => {
  const request = join(folder.driveC, 'ask.req');
  execFileSync('sh', ['-c', 'echo \'{"op":"windows"}\' > "$1"', 'sh', request]);
  if (folder.user !== undefined) chownSync(request, folder.user, folder.user);
  const script = `${before}
    mkdir -m 1777 /tmp/.X11-unix
    Xvfb :9 -screen 0 1024x768x24 -extension GLX -nolisten tcp > /dev/null 2>&1 &
    until [ -S /tmp/.X11-unix/X9 ]; do sleep 0.1; done
    openbox > /dev/null 2>&1 &
    ${toWineLine('windows\\system32\\notepad.exe')} &
    while :; do
      ${toWineLine('berth-window.exe', 'C:\\ask.req', 'C:\\ask.ans')}
      grep -q '"title":"Untitled - Notepad"' ask.ans 2> /dev/null && echo beat
      rm -f ask.ans; sleep 0.2
    done`;
  return startWineBox(script, folder, changes);
};
