/** Terminals as a host would report them, written at once: a flow about a long list need not wait for their installation. */
import { TerminalStatus } from '@berth/contract';
import type { HostScene } from './host-scene.ts';

export interface PlacedTerminal {
  name: string;
  login?: string;
  serverName?: string;
  status: TerminalStatus;
  reason?: string;
  tradingAllowed?: boolean;
}

/** They belong to the user, and are on the scene's host unless they are PENDING. @returns their ids, in the order given */
export const placeTerminals = async (
  { server, host }: HostScene,
  userId: string,
  terminals: readonly PlacedTerminal[],
): Promise<string[]> => {
  const rows = await server.query(
    `with placed as (
       insert into terminals (id, user_id, project_id, host_id, region_id, platform, name, login, server_name, status,
         status_reason, trading_allowed, waiting_since)
       select gen_random_uuid(), u.id, u.default_project_id, case when p.status <> ${TerminalStatus.PENDING} then $2::uuid end,
         0, 'sandbox', p.name, p.login, p.server, p.status, p.reason, p.trading,
         case when p.status = ${TerminalStatus.PENDING} then now() end
       from users u cross join jsonb_to_recordset($3)
         as p (name text, login text, server text, status smallint, reason text, trading boolean) where u.id = $1
       returning id, name
     ) select id, name from placed`,
    [
      userId,
      host.id,
      JSON.stringify(
        terminals.map(({ name, login = name, serverName = 'Harbour-Demo', status, reason, tradingAllowed }) => ({
          ...{ name, login, server: serverName, status, reason: reason ?? null, trading: tradingAllowed ?? null },
        })),
      ),
    ],
  );
  const ids = new Map(rows.map(({ id, name }) => [name as string, id as string]));
  return terminals.map(({ name }) => ids.get(name)!);
};
