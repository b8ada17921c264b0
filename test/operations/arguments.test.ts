/** The commands that a person types: help, and what they say to what they do not know. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const TIMEOUT_MS = 600_000;
const ROOT = join(import.meta.dirname, '../..');

const run = (command: string, ...args: string[]) => {
  // A data directory that cannot be: whatever went on to start would fail for another reason.
  const env = { PATH: process.env.PATH, BERTH_DATA_DIR: '/dev/null/nowhere', BERTH_AGENT_DIR: '/dev/null/nowhere' };
  const { status, stdout, stderr } = spawnSync(join(ROOT, 'script', command), args, { env, encoding: 'utf8' });
  return { status, stdout, stderr };
};

describe.each(['server', 'agent', 'backup', 'restore', 'operator', 'operator-password', 'databases'])(
  'script/%s',
  { timeout: TIMEOUT_MS },
  (command) => {
    it.each(['--help', '-h'])('a script prints its usage with %s, and does nothing else', (option) => {
      const { status, stdout, stderr } = run(command, option);
      expect([status, stderr]).toEqual([0, '']);
      expect(stdout).toContain(`script/${command}`);
      expect(stdout).toContain('BERTH_');
    });

    it('a script refuses an option that it does not know, and names it', () => {
      const { status, stdout, stderr } = run(command, '--port=5000');
      expect([status, stdout]).toEqual([2, '']);
      expect(stderr).toContain('--port');
      expect(stderr).toContain(`script/${command}`);
    });

    it('a script refuses more arguments than it takes', () => {
      expect(run(command, 'one', 'two', 'three')).toMatchObject({ status: 2, stdout: '' });
    });
  },
);

it(
  'the help of script/server names only settings that the page of configuration explains',
  () => {
    const names = run('server', '--help').stdout.match(/\bBERTH_[A-Z_]+\b/g) ?? [];
    const page = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8');
    expect(names.length).toBeGreaterThan(8);
    expect(names.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
  },
  TIMEOUT_MS,
);
