/** A task as a command and as TypeScript, to be copied: whatever it contains stays data. */
import { execFileSync } from 'node:child_process';
import { TaskType } from '@berth/contract/values';
import { beforeAll, expect, test } from 'vitest';
import type * as taskCode from '../src/parts/task/task-code.ts';

const HOSTILE = `it's "$(touch /never)" \`id\` \\ \u2028 <b>`;
const terminalId = '01a20231-daae-7701-8640-a5b93f1ea3fe';
const task = { terminal_id: terminalId, type: TaskType.EA_LOGS, payload: { contains: HOSTILE } } as const;

let code: typeof taskCode;

beforeAll(async () => {
  // The module takes the address of the page where it is used.
  Object.assign(globalThis, { location: { origin: 'https://berth.example.com' } });
  code = await import('../src/parts/task/task-code.ts');
});

test('a task that is copied as a command gives curl its payload unchanged, and runs nothing that stands in it', () => {
  const command = code.toTaskCurl(task).replace(/^curl/, 'printf "%s\\n"');
  const words = execFileSync('sh', ['-c', command], { encoding: 'utf8', env: { TOKEN: 'secret' } }).split('\n');
  expect(words).toContain('Authorization: Bearer secret');
  const body: unknown = JSON.parse(words.at(-2) ?? '');
  expect(body).toEqual({ type: TaskType.EA_LOGS, payload: { contains: HOSTILE } });
});

test('a task that is copied as TypeScript names its type, and holds its payload as one literal', () => {
  const source = code.toTaskTypeScript(task);
  expect(source).toContain('"EA_LOGS"');
  expect(source).not.toContain('\u2028');
  expect(source).toContain(JSON.stringify(HOSTILE).replace('\u2028', '\\u2028'));
});
