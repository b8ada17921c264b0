import { PassThrough } from 'node:stream';
import { ConfigError } from '@berth/kit';
import { expect, it } from 'vitest';
import { CommandError, EXIT, runCommand, type Command } from '@berth/command';

const collect = () => {
  const chunks: string[] = [];
  return {
    write: (chunk: string | Buffer, callback?: () => void) => {
      chunks.push(chunk.toString());
      callback?.();
    },
    text: () => chunks.join(''),
  };
};

const greet: Command<{ name: string }> = {
  usage: 'Usage: greet [WORD]\n',
  options: { loud: { type: 'boolean' } },
  positionals: { min: 0, max: 1 },
  run: async ({ settings, positionals: [word = 'Hello'], options, signal }) => {
    signal.throwIfAborted();
    if (word === 'expected') throw new CommandError('Say another word.');
    if (word === 'defect') throw new TypeError('undefined is not a word');
    const text = `${word}, ${settings.name}${options.loud === true ? '!' : '.'}\n`;
    return { exitCode: EXIT.fine, text, json: { ok: true, text } };
  },
};

const call = async (
  args: readonly string[],
  { readSettings = () => ({ name: 'Ada' }), signal = new AbortController().signal } = {},
) => {
  const [stdout, stderr] = [collect(), collect()];
  const stdin = new PassThrough();
  const run = {
    name: 'script/greet',
    command: greet,
    args,
    environment: {},
    readSettings,
    stdin,
    stdout,
    stderr,
    signal,
  };
  const code = await runCommand(run);
  return { code, stdout: stdout.text(), stderr: stderr.text() };
};

it('a command answers a person with a text and a program with JSON, on stdout alone', async () => {
  expect(await call(['Hi', '--loud'])).toEqual({ code: 0, stdout: 'Hi, Ada!\n', stderr: '' });
  const { stdout, stderr } = await call(['--json']);
  expect([JSON.parse(stdout), stderr]).toEqual([{ ok: true, text: 'Hello, Ada.\n' }, '']);
});

it('a command says with --help how it is used, without any settings', async () => {
  const readSettings = () => {
    throw new ConfigError(['NAME is missing']);
  };
  expect(await call(['--help'], { readSettings })).toEqual({ code: 0, stdout: 'Usage: greet [WORD]\n', stderr: '' });
  const refused = await call([], { readSettings });
  expect(refused).toMatchObject({ code: EXIT.misconfigured, stdout: '' });
  expect(refused.stderr).toContain('NAME is missing');
});

it.each([[['--shout']], [['one', 'two']], [['--loud=maybe']]])(
  'a command refuses %j and says where help is',
  async (args) => {
    const { code, stdout, stderr } = await call(args);
    expect([code, stdout]).toEqual([EXIT.misused, '']);
    expect(stderr).toMatch(/^berth: .+\nscript\/greet --help says how it is used\.\n$/);
  },
);

it('a command prints the message of an expected failure, the stack of a defect, and both as JSON where asked', async () => {
  expect(await call(['expected'])).toEqual({ code: 1, stdout: '', stderr: 'berth: Say another word.\n' });
  expect((await call(['defect'])).stderr).toMatch(/TypeError: undefined is not a word\n +at /);
  expect(JSON.parse((await call(['expected', '--json'])).stdout)).toEqual({ ok: false, error: 'Say another word.' });
});

it('a command that was interrupted says by what', async () => {
  const signal = AbortSignal.abort(new Error('interrupted by SIGTERM'));
  expect(await call([], { signal })).toEqual({ code: 1, stdout: '', stderr: 'berth: interrupted by SIGTERM\n' });
});
