/** Limits and times that pages state, held to the constants of the programs: the page says what the program does. */
import { describe, expect, it } from 'vitest';
import { listTrackedFiles, readText } from './repository.ts';

const toWords = (text: string): string => text.replace(/\s+/g, ' ');

/** `const PING_MS = 15_000;` → 15000; products of numbers are worked out. */
const readConstant = (path: string, name: string): number => {
  const [, text] = new RegExp(`\\bconst ${name} = ([\\d_ */.]+);`).exec(readText(path)) ?? [];
  if (text === undefined) throw new Error(`${path} has no number ${name}`);
  return text
    .replaceAll('_', '')
    .split('*')
    .reduce((product, factor) => product * Number(factor), 1);
};

const server = (path: string): string => `apps/server/src/${path}.ts`;
const contract = (path: string): string => `packages/contract/src/${path}.ts`;
const count = (value: number): string => value.toLocaleString('en-US');
const seconds = (ms: number): string => `${ms / 1_000}`;
const minutes = (ms: number): string => `${ms / 60_000}`;
const days = (ms: number): string => `${ms / 86_400_000}`;
const daysOfSeconds = (value: number): string => `${value / 86_400}`;
const kibibytes = (bytes: number): string => `${bytes / 1024}`;
const mebibytes = (bytes: number): string => `${bytes / 1024 / 1024}`;

/** Page; sentence, with % for the number; where the number is; how the page writes it. */
const claims: [page: string, claim: string, path: string, name: string, write: (value: number) => string][] = [
  ['interface', '% requests per token', server('interface/limits/rate-limits'), 'REQUESTS_PER_TOKEN', count],
  ['interface', '% requests per user', server('interface/limits/rate-limits'), 'REQUESTS_PER_USER', count],
  ['interface', 'A link works once, within % minutes', server('tokens/sign-in-links'), 'SIGN_IN_LINK_MINUTES', count],
  ['interface', '(% minutes, 5 tries)', server('accounts/reset-codes'), 'RESET_CODE_TTL_MS', minutes],
  ['interface', '(15 minutes, % tries)', server('accounts/reset-codes'), 'RESET_CODE_TRIES', count],
  ['interface', 'or % days after its beginning', server('interface/http/session-cookie'), 'MAX_AGE_S', daysOfSeconds],
  ['interface', 'at most % pixels in width', server('pictures/thumbnails'), 'WIDTH', count],
  ['interface', 'A host measures each of its terminals every % s', contract('terminals/samples'), 'SAMPLE_MS', seconds],
  ['interface', 'for up to % ids', contract('terminals/samples'), 'MAX_OVERVIEW_TERMINALS', count],
  ['interface', 'at most % KiB of a terminal', contract('terminals/charts'), 'MAX_CHARTS_BYTES', kibibytes],
  ['interface', 'of an expert at most % inputs', contract('terminals/charts'), 'MAX_TOLD_INPUTS', count],
  ['interface', '(up to % KiB)', server('tasks/payload'), 'MAX_PAYLOAD_BYTES', kibibytes],
  ['interface', 'A comment comes every % s', server('times'), 'EVENT_PING_MS', seconds],
  ['interface', 'at most % streams per server', server('events/live-events'), 'MAX_STREAMS', count],
  [
    'interface',
    'If the same thing happens again within % minutes',
    server('notifications/queries'),
    'COUNTED_MS',
    minutes,
  ],
  ['interface', 'at most the newest %', server('notifications/queries'), 'MAX_READ_ALL_ITEMS', count],
  ['interface', 'it holds the newest %', server('interface/v1/my/trading/terminals/tasks'), 'UNPAGED_LIMIT', count],
  ['interface', 'reads nothing of an answer for % s', server('interface/limits/connections'), 'STALLED_MS', seconds],
  ['guides/events', 'A comment comes every % s', server('times'), 'EVENT_PING_MS', seconds],
  ['guides/events', 'A user has at most % such answers', server('events/live-events'), 'MAX_STREAMS', count],
  ['guides/events', 'is more than % MiB behind', server('interface/v1/my/event-stream'), 'MAX_BEHIND_BYTES', mebibytes],
  ['guides/failures', 'After % s without a word', contract('agent-limits'), 'HOST_LOST_MS', seconds],
  ['guides/behind-a-proxy', 'work takes up to % s', contract('agent-limits'), 'MAX_CLAIM_WAIT_MS', seconds],
  ['guides/backup-drill', 'lost after % s', contract('agent-limits'), 'HOST_LOST_MS', seconds],
  ['guides/from-psql', 'Every server sees it within % s', server('regions/regions'), 'REFRESH_MS', seconds],
  ['guides/two-servers', 'Version % or newer', server('db/suitable'), 'OLDEST_MAJOR', count],
  ['operating', '**A silent host is lost after % s.**', contract('agent-limits'), 'HOST_LOST_MS', seconds],
  ['operating', 'After % s the server gives up', server('main'), 'STOP_DEADLINE_MS', seconds],
  ['operating', 'Exit code % means a mistake in the', server('console/command'), 'MISCONFIGURED', count],
  ['operating', 'stop their terminals (up to % s)', server('local-host/local-host'), 'AGENT_POLITE_MS', seconds],
  ['operating', 'gives its tasks % s to end', 'apps/agent/src/host/host-service.ts', 'DRAIN_MS', seconds],
  ['operating', 'pictures that tasks took | % days', server('files/files'), 'SCREENSHOT_LIFETIME_MS', days],
  ['operating', 'starts its terminals % per second', 'apps/agent/src/host/loops/supervise.ts', 'MAX_STARTS', toName],
  ['operating', '`capacity` (%) is how many', server('interface/v1/operator/join-tokens'), 'DEFAULT_CAPACITY', count],
  ['operating', 'ends its open transactions after % s', server('times'), 'IDLE_IN_TRANSACTION_MS', seconds],
  ['operating', 'as long as the next % take', server('scheduler/automatic-pictures'), 'KEPT', count],
  ['operating', 'headers | % KiB', server('interface/limits/connections'), 'MAX_HEADER_BYTES', kibibytes],
  ['operating', "a request's headers | % s", server('interface/limits/connections'), 'HEADERS_TIMEOUT_MS', seconds],
  ['operating', 'waits for what is under way | % s', server('interface/limits/connections'), 'CLOSE_MS', seconds],
  [
    'operating',
    'requests under way on one connection | %',
    server('interface/limits/connections'),
    'MAX_PIPELINED',
    count,
  ],
  ['operating', 'without a valid token | % KiB', server('interface/http/route'), 'ANONYMOUS_BODY_BYTES', kibibytes],
  ['operating', 'for one attempt of a task | % MiB', contract('limits'), 'MAX_ATTEMPT_BYTES', mebibytes],
  [
    'operating',
    'valid codes for a new password by address | %',
    server('accounts/reset-codes'),
    'MAX_LIVE_CODES',
    count,
  ],
];

function toName(value: number): string {
  return ['none', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'][value] ?? count(value);
}

describe('numbers in the pages are those of the programs', () => {
  it.each(claims)('docs/%s.md says: %s', (page, claim, path, name, write) => {
    const said = claim.replace('%', write(readConstant(path, name)));
    expect(toWords(readText(`docs/${page}.md`))).toContain(said);
  });

  it('a constant that is gone is missed', () => {
    expect(() => readConstant(contract('limits'), 'NOT_THERE')).toThrow('has no number NOT_THERE');
  });
});

describe('names in the pages are those of the programs', () => {
  const sources = listTrackedFiles().filter((path) => /^(apps\/server|packages\/postgres)\/src\/.+\.ts$/.test(path));
  const read = sources.map(readText).join('\n');

  it.each(['secret.key', 'mail', 'sandbox', 'agent', 'postgres'])('the data directory has %s', (name) => {
    expect(readText('docs/operating.md')).toMatch(new RegExp(`^\\| \`${name}/?\` \\|`, 'm'));
    expect(read).toContain(`'${name}'`);
  });

  it.each(['Unknown', 'Unreachable'])('the sandbox treats servers apart whose name begins with %s', (name) => {
    for (const page of ['docs/quickstart.md', 'docs/platforms/sandbox.md'])
      expect(readText(page)).toContain(`\`${name}\``);
    expect(readText('apps/sandbox/src/trading-server/terminal-connection.ts')).toContain(`'${name}'`);
  });
});
