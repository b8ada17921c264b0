/**
 * The programs of the pages: each block of TypeScript in the README, the quickstart and the guides compiles as it stands there,
 * and runs on a real server. What a block takes from the text around it is given to it.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTestStack, type TestStack } from '@berth/testing';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { listPagesToFollow, readBlocks } from '../house/page-blocks.ts';
import { rootDir } from '../house/repository.ts';

const TIMEOUT_MS = 300_000;
const folder = join(rootDir, '.build', 'page-programs');

const programs = listPagesToFollow()
  .flatMap(readBlocks)
  .filter(({ language }) => language === 'ts')
  .map((block, index) => ({
    ...block,
    place: `${block.page}:${block.line}`,
    file: join(folder, `program-${index}.ts`),
  }));

/** `toText(error); // => 'It is gone.'` */
const OUTCOME = /^(\s*)(.+?); \/\/ => (.+)$/gm;

let stack: TestStack;

/** The context of a block without imports: what the page has introduced before. */
const toSurroundings = (text: string): string => {
  const parts: Record<string, string> = {
    berth: `const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });`,
    terminal: `const order = { server_name: 'Harbour-Demo', login: '5002', password: 'trade-me' };
const terminal = await berth.terminals.create(order);`,
    terminalId: `const account = { server_name: 'Harbour-Demo', login: '5003', password: 'trade-me' };
const { id: terminalId } = await berth.terminals.create(account);`,
    program: `const program = new Uint8Array([1, 2, 3]);`,
    signal: `const watching = new AbortController();\nconst { signal } = watching;`,
    readEverythingAgain: `const readEverythingAgain = async () => watching.abort();`,
    loadLastId: `const loadLastId = async () => {
  await berth.account.tokens.create({ name: 'something that happens' });
  return 0;
};`,
    deal: `const deal = async (event: { type: string }) => expect(event.type).toBe('security.token_created');`,
    webhook: `const order = { url: 'https://example.com/berth', events: ['*'] };
const webhook = await berth.webhooks.create(order);`,
    // An account is shown as soon as its terminal has logged in.
    show: `const order = { server_name: 'Harbour-Demo', login: '5004', password: 'trade-me' };
await berth.terminals.create(order);
const show = (id: string, equity: string, currency: string) => watching.abort([id, equity, currency]);`,
    endOfDay: `const endOfDay = '2026-01-02T00:00:00Z';`,
    book: `const book = async (deal: { ticket: string }) => expect(deal.ticket).not.toBe('');`,
    storeLastId: `const storeLastId = async (id: number) => watching.abort(id);`,
  };
  const used = Object.entries(parts).filter(([name]) => new RegExp(`\\b${name}\\b`).test(text));
  return [`import { Berth } from '@berth/client';`, ...used.map(([, line]) => line), 'void Berth;'].join('\n');
};

const toProgram = (text: string, token: string): string => {
  const whole = /^import /m.test(text) ? text : `${toSurroundings(text)}\n${text}`;
  const checked = whole.replace(OUTCOME, '$1expect($2).toEqual($3);');
  const real = checked.replaceAll('http://127.0.0.1:4000', stack.url).replaceAll('<id>|<secret>', token);
  return `import { expect } from 'vitest';\n${real}\nvoid expect;\nexport {};\n`;
};

beforeAll(async () => {
  stack = await startTestStack();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { file, text } of programs) {
    writeFileSync(file, toProgram(text, (await stack.register('Ada Lovelace')).token));
  }
}, TIMEOUT_MS);
afterAll(async () => {
  await stack?.close();
  rmSync(folder, { recursive: true, force: true });
}, TIMEOUT_MS);

const compile = (): string[] => {
  const { config } = ts.readConfigFile(join(rootDir, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    config: { compilerOptions: object };
  };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, rootDir);
  const files = programs.map(({ file }) => file);
  const compiled = ts.createProgram(files, options);
  return programs.flatMap(({ place, file }) =>
    ts
      .getPreEmitDiagnostics(compiled, compiled.getSourceFile(file))
      .map(({ messageText }) => `${place}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`),
  );
};

describe('the programs of the pages', { timeout: TIMEOUT_MS }, () => {
  it('the programs of the pages are there', () => expect(programs.length).toBeGreaterThan(3));

  it('the programs of the pages compile', () => expect(compile()).toEqual([]));

  it.each(programs)('run: $place', async ({ file }) => {
    const print = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    await import(/* @vite-ignore */ file);
    print.mockRestore();
  });
});
