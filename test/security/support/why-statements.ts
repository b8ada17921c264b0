/** What explains a terminal does so for its owner alone, and a place in a queue counts each user's terminals as theirs. */
import type { Look } from './single-statements.ts';

export const anothersAnswers: Look[] = [
  async ({ run }, { owner, stranger, terminalId }) => {
    const seen = [];
    for (const { user } of [owner, stranger])
      seen.push((await run('explain_own_terminal', [terminalId, user.id])).length);
    return seen;
  },
  async ({ run, plant }, { terminalId, strangersTerminalId }) => {
    await plant(
      `update terminals set host_id = null, deleted_at = null, region_id = 2, platform = 'sandbox', waiting_since = now()
       where id = any($1)`,
      [[terminalId, strangersTerminalId]],
    );
    await plant(
      `insert into terminals (id, user_id, project_id, region_id, platform, name, server_name, login, waiting_since)
       select gen_random_uuid(), user_id, project_id, 2, 'sandbox', 'w', 's', '1', now() - n * interval '1 second'
       from terminals cross join generate_series(1, 2) n where id = $1`,
      [strangersTerminalId],
    );
    const rows = await run('list_queue_places', [[terminalId, strangersTerminalId]]);
    const toPlace = (id: string) => rows.find((row) => row.id === id)?.place;
    return [toPlace(terminalId), toPlace(strangersTerminalId)];
  },
];
