import { join } from 'node:path';
import { sleep } from '@berth/kit';
import { toNewName } from '../../launchers/wine/box-exchange.ts';
import { getRunningBox, getTerminal, type RunningBox } from '../box/find-terminal.ts';
import { EXIT, UsageError, type CommandAnswer } from '@berth/command';
import type { HostCommand, HostCall } from '../host-command.ts';
import { relay } from './relay.ts';

const usage = `Usage: script/agent shell ID [--json] [-- COMMAND ARGUMENT...]

Opens a shell in the box of a terminal that runs, or runs one command there. What you see is what the terminal sees:
its files below /prefix/drive_c, its processes, its network. The shell has the terminal's rights and no others, also for
root. Of an ID its first letters are enough.

  --json   for programs; needs a command, whose output is part of the answer, up to 1 MB

What runs in the box can read along, and what it prints reaches your window as it is. Type no secrets.
It uses the agent's settings. Run it as the user that the agent runs as.

Exit codes: 0 the shell has ended, 1 it could not be opened, 2 wrong arguments, 78 wrong settings.
Of a COMMAND its own.
`;

/**
 * The shell is started by what started the terminal, inside the same isolation: entering from outside would bring
 * rights along that a program in the box could take. Its input and output are FIFOs, and for a window a pseudo terminal
 * is created inside, so that no descriptor of the person's window is ever in the box. The input's name disappears once
 * it is open.
 */
const IN_BOX = `name=$1; shift
rm -f "$name.in" "$name.out"
mkfifo "$name.in" "$name.out" || exit 1
exec 3<"$name.in" 4>"$name.out"
rm -f "$name.in"
"$@" <&3 >&4 2>&1 3<&- 4>&-
echo $? >"$name.code.part"; mv "$name.code.part" "$name.code"
`;
/** On a pseudo terminal of the same size as the person's window. */
const ON_WINDOW = 'stty rows "$1" cols "$2" 2>/dev/null; shift 2; exec "$@"';
const MAX_CAPTURED_BYTES = 1024 * 1024;
const CODE_MS = 5_000;
const CODE_POLL_MS = 20;

const toWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** What runs in the box: the command itself, or the command on a pseudo terminal of the box. Pure. */
const toCommand = (words: readonly string[], size: { rows: number; columns: number } | undefined): string[] => {
  if (!size) return [...words];
  const inner = ['/bin/sh', '-c', ON_WINDOW, 'berth', String(size.rows), String(size.columns), ...words];
  return ['script', '--quiet', '--return', '--flush', '--command', inner.map(toWord).join(' '), '/dev/null'];
};

/** The exit code that the box left; any program in it may have written it. */
const findCode = async ({ box }: RunningBox, file: string): Promise<number | undefined> => {
  const deadline = performance.now() + CODE_MS;
  while (performance.now() < deadline) {
    const text = (await box.exchange.find(file, 16))?.toString('latin1').trim();
    if (text !== undefined && /^\d{1,3}$/.test(text)) return Number(text);
    await sleep(CODE_POLL_MS);
  }
  return undefined;
};

/** The window's TERM, as far as it is safe to disclose to an untrusted box. */
const toTerm = (term: string | undefined): string =>
  term !== undefined && /^[\w.+-]{1,40}$/.test(term) ? term : 'dumb';

interface Session {
  words: readonly string[];
  deliver: (chunk: Buffer) => Promise<boolean>;
}

const runInBox = async (running: RunningBox, { window, signal }: HostCall, session: Session): Promise<number> => {
  const { box } = running;
  const name = `shell-${toNewName()}`;
  const size = window.isTTY ? { rows: window.rows, columns: window.columns } : undefined;
  const command = ['/bin/sh', '-c', IN_BOX, 'berth', join(box.inside.run, name), ...toCommand(session.words, size)];
  const environment = { TERM: toTerm(window.term), PS1: '[box] \\w \\$ ' };
  await box.exchange.run({ folder: join(box.inside.prefix, 'drive_c'), environment, command });
  const paths = { input: join(box.paths.run, `${name}.in`), output: join(box.paths.run, `${name}.out`) };
  try {
    await relay(paths, { input: window.input, deliver: session.deliver, signal });
    return (await findCode(running, `${name}.code`)) ?? EXIT.failed;
  } finally {
    for (const ending of ['in', 'out', 'code']) await box.exchange.remove(`${name}.${ending}`);
  }
};

const runCaptured = async (running: RunningBox, call: HostCall, words: readonly string[]): Promise<CommandAnswer> => {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  const deliver = async (chunk: Buffer): Promise<boolean> => {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    return sizeBytes < MAX_CAPTURED_BYTES;
  };
  const exitCode = await runInBox(running, { ...call, window: { ...call.window, isTTY: false } }, { words, deliver });
  const output = Buffer.concat(chunks).subarray(0, MAX_CAPTURED_BYTES).toString('utf8');
  return { exitCode, text: '', json: { ok: exitCode === 0, exit_code: exitCode, output } };
};

/** `script/agent shell` */
export const shell: HostCommand = {
  usage,
  options: {},
  positionals: { min: 1, max: Infinity },
  async run(call) {
    const [id = '', ...words] = call.positionals;
    const { window, settings, say } = call;
    if (call.options.json === true && words.length === 0)
      throw new UsageError('--json needs a command: shell ID --json -- COMMAND.');
    const terminal = await getTerminal(id, settings);
    const running = await getRunningBox(terminal, settings);
    if (call.options.json === true) return runCaptured(running, call, words);
    const isShell = words.length === 0;
    if (isShell && window.isTTY) say(`In the box of the terminal ${terminal.id}. Its drive C is here; "exit" leaves.`);
    const exitCode = await runInBox(running, call, {
      words: isShell ? ['bash', '--norc', '--noprofile', ...(window.isTTY ? ['-i'] : [])] : words,
      deliver: (chunk) => window.deliver(chunk),
    });
    return { exitCode: isShell ? EXIT.fine : exitCode, text: '', json: {} };
  },
};
