/** Types the commands of the pages for users, on a fresh instance, and checks the results. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestStack, type TestStack } from '@berth/testing';
import { expect } from 'vitest';
import { readBlocks, readRun, type PageBlock } from '../house/page-blocks.ts';

export const TIMEOUT_MS = 600_000;

export const visits = ['the first time', 'again, with the account that exists'];

export const listRun = (page: string, by: string): PageBlock[] =>
  readBlocks(page).filter((block) => readRun(block)?.by === by);

/** What is typed first, by everybody. */
export const quickstart = listRun('docs/quickstart.md', 'quickstart').map(({ text }) => text);

export interface Typed {
  status: number | null;
  stdout: string;
  stderr: string;
}

export interface PageVisit {
  stack: TestStack;
  /** Where the commands are typed. */
  folder: string;
  /** Types a text into a shell of its own, which has further variables if any are given. */
  type(text: string, variables?: Record<string, string>): Typed;
  close(): Promise<void>;
}

/** Opens a visit with an instance of its own; close it in `afterAll`. */
export const openPageVisit = async (): Promise<PageVisit> => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-pages-'));
  writeFileSync(join(folder, 'Trend.ex5'), 'another program');
  const stack = await startTestStack();
  return {
    stack,
    folder,
    type: (text, variables = {}) => {
      const env = { PATH: process.env.PATH, BERTH: stack.url, ...variables };
      return spawnSync('sh', ['-c', text], { cwd: folder, env, encoding: 'utf8', timeout: TIMEOUT_MS });
    },
    close: async () => {
      await stack.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

/** Every answer says that it is well, no task failed, and no variable stayed empty. */
export const expectWell = ({ stdout, stderr }: Typed): void => {
  expect(stderr).toBe('');
  expect(stdout).not.toMatch(/"ok":false|"errors":/);
};
