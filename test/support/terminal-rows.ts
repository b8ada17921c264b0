import { TerminalStatus } from '@berth/contract';
import type { TestServer } from './test-server.ts';

interface TerminalRows {
  count?: number;
  hostId?: string | null;
  status?: TerminalStatus;
  /** What each is called before its number, which has three digits at least. */
  name?: string;
  serverName?: string;
  /** Of all of them; its number otherwise. */
  login?: string;
}

/** Terminals of a user as rows, ACTIVE and without a host unless it is said otherwise. @returns their ids, by their names */
export const insertTerminals = async (
  { query }: Pick<TestServer, 'query'>,
  userId: string,
  {
    count = 1,
    hostId = null,
    status = TerminalStatus.ACTIVE,
    name = 'T',
    serverName = 'Demo',
    login,
  }: TerminalRows = {},
): Promise<string[]> => {
  const rows = await query(
    `with made as (
       insert into terminals (id, user_id, project_id, host_id, region_id, platform, name, server_name, login, status)
       select gen_random_uuid(), u.id, u.default_project_id, $2::uuid, 0, 'sandbox', $3 || lpad(n::text, greatest(3, length(n::text)), '0'), $4,
         coalesce($5, n::text), $6
       from users u cross join generate_series(1, $7::integer) n where u.id = $1 returning id, name
     )
     select id from made order by length(name), name`,
    [userId, hostId, name, serverName, login ?? null, status, count],
  );
  return rows.map(({ id }) => id as string);
};
