/** What is carried between a caller and a program that reads and writes FIFOs, as one in a box does. */
import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { relay } from '../src/commands/shell/relay.ts';
import { useFolder } from './support/use-folder.ts';

let folder: string;
let paths: { input: string; output: string };
useFolder((created) => {
  folder = created;
  paths = { input: join(folder, 'in'), output: join(folder, 'out') };
  execFileSync('mkfifo', [paths.input, paths.output]);
});

/** A program that opens its ends after a while. @returns what it wrote */
const carry = async (script: string, input: string): Promise<string> => {
  const child = spawn('/bin/sh', ['-c', script], { cwd: folder, stdio: 'ignore' });
  const chunks: Buffer[] = [];
  const deliver = async (chunk: Buffer): Promise<boolean> => chunks.push(chunk) > 0;
  const { signal } = new AbortController();
  try {
    await relay(paths, { input: Readable.from(input === '' ? [] : [Buffer.from(input)]), deliver, signal });
    return Buffer.concat(chunks).toString();
  } finally {
    child.kill('SIGKILL');
  }
};

it.each(['', 'a line\n', 'x'.repeat(300_000)])(
  'an input that ends before the program has opened its end is whole, and ends (%#)',
  async (input) => {
    const script = 'sleep 0.3; exec 3<in 4>out; rm in; cat <&3 >&4 3<&- 4>&-; echo end >&4';
    expect(await carry(script, input)).toBe(`${input}end\n`);
  },
);

it('a program that reads nothing ends all the same', async () => {
  expect(await carry('exec 3<in 4>out; rm in; echo done >&4', 'x'.repeat(300_000))).toBe('done\n');
});
