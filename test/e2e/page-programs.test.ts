/**
 * The programs of the pages: each block of TypeScript in the README, the quickstart and the guides compiles as it stands there,
 * and runs on a real server. What a block takes from the text around it is given to it.
 */
import { useTestStack } from '@berth/testing';
import { useExamples } from '@berth/testing/examples';
import { beforeAll, describe, expect, it } from 'vitest';
import { listPagesToFollow, readBlocks } from '../house/page-blocks.ts';

const TIMEOUT_MS = 300_000;

const stack = useTestStack();

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

const {
  examples: programs,
  write,
  compile,
  run,
} = useExamples(
  'page-programs',
  listPagesToFollow()
    .flatMap(readBlocks)
    .filter(({ language }) => language === 'ts')
    .map(({ page, line, text }) => ({
      place: `${page}:${line}`,
      text: /^import /m.test(text) ? text : `${toSurroundings(text)}\n${text}`,
    })),
);

beforeAll(async () => {
  for (const program of programs) {
    const { token } = await stack.register('Ada Lovelace');
    write(program, (text) => text.replaceAll('http://127.0.0.1:4000', stack.url).replaceAll('<id>|<secret>', token));
  }
}, TIMEOUT_MS);

describe('the programs of the pages', { timeout: TIMEOUT_MS }, () => {
  it('the programs of the pages are there', () => expect(programs.length).toBeGreaterThan(3));

  it('the programs of the pages compile', () => expect(compile()).toEqual([]));

  it.each(programs)('run: $place', (program) => run(program));
});
