/** What explains a terminal does so for its owner alone, and a place in a queue counts each user's terminals as theirs. */
import { TaskType } from '@berth/contract';
import type { Look } from './single-statements.ts';

export const anothersAnswers: Look[] = [
  // Operators ask for the terminals of one user, or of one host.
  async ({ run, plant }, { owner, stranger, host, otherHost, terminalId }) => {
    await plant('update terminals set host_id = $2 where id = $1', [terminalId, host.id]);
    const seen = [];
    for (const [userId, hostId] of [
      [owner.user.id, null],
      [stranger.user.id, null],
      [null, host.id],
      [null, otherHost.id],
    ]) {
      const listed = await run('list_all_terminals', [null, userId, hostId, null, null, 100, 0]);
      const all = 'select count(*) as total from terminals where deleted_at is null';
      const [counted] = await run('count_all_terminals', [null, userId, hostId, null, 10_000]);
      const [total] = await plant(all, []);
      seen.push([listed.some((row) => row.id === terminalId), counted?.total === total?.total]);
    }
    return seen;
  },
  // A task that another host has is none of this terminal any more; only terminals of its user count against the plan.
  ...['explain_own_terminal', 'explain_terminal'].map(
    (name): Look =>
      async ({ run, plant }, { owner, host, otherHost, terminalId }) => {
        const [own] = await plant(
          `insert into terminals (id, user_id, project_id, region_id, platform, name, server_name, login, host_id)
           select gen_random_uuid(), user_id, project_id, region_id, platform, 'w', 's', '1', $2 from terminals where id = $1
           returning id`,
          [terminalId, host.id],
        );
        await plant(
          `insert into tasks (id, user_id, host_id, terminal_id, type) values (gen_random_uuid(), $1, $2, $3, ${TaskType.TERMINAL_START})`,
          [owner.user.id, otherHost.id, own?.id],
        );
        const [row] = await run(name, name === 'explain_terminal' ? [own?.id] : [own?.id, owner.user.id]);
        return [row?.task, (row?.user as { terminals: number }).terminals];
      },
  ),
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
    const toPlace = (id: string) => Number(rows.find((row) => row.id === id)?.place);
    // Whose turn is the first one depends on their ids.
    return [toPlace(terminalId) <= 2, toPlace(strangersTerminalId)];
  },
];
