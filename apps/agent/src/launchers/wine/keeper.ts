/**
 * What runs in a box before any terminal: the screen, its window manager, Wine's server, and a shell that starts
 * programs on request. All of them are required, so the end of one is the end of the box: a terminal whose server or
 * screen is gone does not linger on. Programs that are started later must run in the same box, because two boxes cannot
 * share a Wine server.
 *
 * The files through which the agent and the keeper communicate, all in the box's `run` folder:
 *
 *   display   the number of the screen, once it is there
 *   ready     made when programs can be started
 *   commands  a FIFO; each line is the name of a script `<name>.run`
 *   questions a FIFO, while the window program runs; each line names two files (`window-program.ts`)
 */

/** Names of files in the `run` folder. */
export const RUN_FILES = {
  keeper: 'keeper',
  windowManager: 'openbox.xml',
  commands: 'commands',
  questions: 'questions',
  ready: 'ready',
  display: 'display',
  screen: 'screen',
} as const;

/** The file name of the screen, within the folder that Xvfb is given. */
export const SCREEN_FILE = 'Xvfb_screen0';

/**
 * Wine's server keeps its socket and the terminal's shared memory in /tmp: with TMPDIR set to another folder, Debian
 * 13's server crashes.
 *
 * Takes the folder, the screen's size, `+GLX` or `-GLX`, and Wine's server. A script's name contains neither slash nor
 * dot, so it is a file of the folder.
 */
export const KEEPER_SCRIPT = `exec </dev/null >/dev/null 2>&1
cd "$1" || exit 1
keeper=$$
essential() { (exec 3<&-; "$@"; kill -KILL "$keeper") & }
show() { Xvfb -displayfd 4 -screen 0 "$1" -nolisten tcp -noreset -fbdir screen "$2" GLX 4>display; }
manage() { while :; do openbox --sm-disable --config-file openbox.xml; sleep 1; done; }
case $3 in +*) glx=+extension ;; *) glx=-extension ;; esac
mkdir -p screen
mkfifo commands
exec 3<>commands
(exec 3<&-; show "$2" "$glx"; kill -KILL "$keeper") &
until [ -s display ]; do sleep 0.01; done
read -r number <display
export DISPLAY=":$number"
essential manage
"$4" -p
essential "$4" -w
: >ready
while read -r name <&3; do
  case $name in '' | *[!0-9a-f]*) continue ;; esac
  (exec /bin/sh "./$name.run" 3<&- &)
done
`;

/** No menus and no key bindings: all keys go to the terminal. */
export const WINDOW_MANAGER_SETTINGS = `<?xml version="1.0" encoding="UTF-8"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
  <focus><focusNew>yes</focusNew><raiseOnFocus>yes</raiseOnFocus></focus>
  <theme><name>Clearlooks</name><titleLayout>NLC</titleLayout></theme>
  <desktops><number>1</number><popupTime>0</popupTime></desktops>
  <keyboard/>
  <mouse>
    <context name="Client">
      <mousebind button="Left" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>
    </context>
  </mouse>
</openbox_config>
`;

/** A quoted word for a shell. Pure. */
export const toShellWord = (text: string): string => {
  if (text.includes('\0')) throw new Error('A word of a command must not hold a zero byte');
  return `'${text.replaceAll("'", `'\\''`)}'`;
};

export interface Script {
  /** The folder it runs in, as a path in the box. */
  folder: string;
  environment?: Readonly<Record<string, string>>;
  command: readonly string[];
  /** After this time the program is killed. */
  timeoutMs?: number;
}

/** Files written by a script, as paths in the box. */
export interface ScriptNotes {
  /** Receives the number of the process. */
  pidFile?: string;
  /** Receives the exit code of the program once it has ended. */
  endFile?: string;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A script for the keeper. Pure. */
export const toScript = (
  { folder, environment = {}, command, timeoutMs }: Script,
  { pidFile, endFile }: ScriptNotes = {},
): string => {
  const limit = timeoutMs === undefined ? [] : ['timeout', '-s', 'KILL', String(timeoutMs / 1000)];
  const variables = Object.entries(environment).map(([name, value]) => {
    if (!NAME.test(name)) throw new Error(`${name} cannot be the name of a variable`);
    return `export ${name}=${toShellWord(value)}`;
  });
  const program = [...limit, ...command].map(toShellWord).join(' ');
  return [
    ...(pidFile === undefined ? [] : [`echo $$ >${toShellWord(pidFile)}`]),
    'rm -f -- "$0"',
    ...variables,
    `cd ${toShellWord(folder)} || exit 1`,
    ...(endFile === undefined ? [`exec ${program}`] : [program, ...toEndLines(endFile)]),
    '',
  ].join('\n');
};

/** The file appears complete. */
const toEndLines = (endFile: string): string[] => {
  const draft = toShellWord(`${endFile}.draft`);
  return [`echo $? >${draft}`, `mv ${draft} ${toShellWord(endFile)}`];
};
