/** How many rows of the audit log a page of it reads, however many others there are. */
import type { AuditEntry } from '@berth/contract';
import { useTestServer, withClient } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';
import { listAuditLog, type AuditFilter } from '../src/audit/entries.ts';
import type { Queryable } from '../src/db/database.ts';

const server = useTestServer();
const OTHERS = 30_000;
const PAGE = 50;

// What is looked for is the oldest, so that the order of ids leads past everything else.
beforeAll(async () => {
  await server.query(
    `insert into audit_log (id, at, actor_kind, action, target_type, result)
     select ('0000000' || case when n <= 3000 then 1 else 2 end || '-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, now(),
       case when n <= 3000 then 'operator' else 'user' end,
       case when n <= 1500 then 'user.update' when n <= 3000 then 'user.create' else 'task.' || n % 4 end, 'user', 'done'
     from generate_series(1, ${OTHERS} + 3000) n`,
  );
  await server.query('analyze audit_log');
});

interface Node {
  'Relation Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  Plans?: Node[];
}

const listNodes = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(listNodes)];

/** Reads as the server does. @returns the rows that were answered, and how many of the table were read for it */
const read = async (filter: Partial<AuditFilter>) => {
  const bounds = { lowest: '00000000-0000-0000-0000-000000000000', below: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
  let total = 0;
  const rows = await withClient(server.databaseUrl, async (client) => {
    await client.query('set plan_cache_mode = force_custom_plan');
    const query = async ({ text }: { text: string }, values: unknown[]) => {
      const { rows: plans } = await client.query<Record<string, [{ Plan: Node }]>>(
        `explain (analyze, timing off, format json) ${text}`,
        values,
      );
      for (const node of listNodes(Object.values(plans[0]!)[0]![0].Plan)) {
        const ofNode = (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0);
        if (node['Relation Name'] === 'audit_log') total += ofNode * (node['Actual Loops'] ?? 0);
      }
      return (await client.query(text, values)).rows;
    };
    const chosen = { action: undefined, actorKind: undefined, target: undefined, limit: PAGE, ...bounds, ...filter };
    return listAuditLog({ query } as Queryable, chosen);
  });
  return { rows, total };
};

it.each<[by: string, filter: Partial<AuditFilter>]>([
  ['an action', { action: 'user.update' }],
  ['the beginning of actions', { action: 'user.' }],
  ['the kind of who did it', { actorKind: 'operator' }],
  ['both', { action: 'user.', actorKind: 'operator' }],
  ['what nobody did', { action: 'nothing.', actorKind: 'operator' }],
])('a page of the audit log that is chosen by %s does not read all others', async (_by, filter) => {
  const { rows, total } = await read(filter);
  const ids = (list: readonly AuditEntry[]) => list.map(({ id }) => id);
  expect(ids(rows)).toEqual(ids(rows).toSorted().toReversed());
  expect(rows).toHaveLength(filter.action === 'nothing.' ? 0 : PAGE);
  expect(total).toBeLessThan(1_000);
});
