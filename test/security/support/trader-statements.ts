/** What the statements of a trader's day do for its user alone: tags, and the library of experts. */
import type { Look } from './single-statements.ts';

export const anothersTags: Look[] = [
  // Experts of another user, or seen by a host that the terminal is not on any more; files of others, or that are over.
  async ({ run, plant }, { owner, stranger, terminalId, host, otherHost }) => {
    const charts = JSON.stringify([{ expert: { name: 'Trend', sha256: 'a' } }]);
    const list = async (userId: string) => (await run('list_running_experts', [userId, null])).length;
    const seen = [];
    for (const { id } of [host, otherHost]) {
      await plant(
        `insert into terminal_charts (terminal_id, host_id, charts, truncated) values ($1, $2, $3::json, false)
         on conflict (terminal_id) do update set host_id = excluded.host_id, charts = excluded.charts`,
        [terminalId, id, charts],
      );
      seen.push(await list(owner.user.id), await list(stranger.user.id));
    }
    return [...seen, (await run('list_running_experts', [owner.user.id, 'b'])).length];
  },
  async ({ run, plant }, { owner, stranger, terminalId }) => {
    await plant(`update terminals set tags = '{old}' where id = $1`, [terminalId]);
    const tag = async (userId: string) =>
      (await run('tag_terminals', [userId, [terminalId], ['new'], ['old'], 20])).length;
    const counts = [await tag(stranger.user.id), await tag(owner.user.id)];
    return [...counts, ...(await plant('select tags from terminals where id = $1', [terminalId]))];
  },
  ...[null, 60, -60].map((seconds): Look => async ({ run, plant }, { owner, stranger }) => {
    await plant(
      `insert into files (id, user_id, name, type, size, sha256, content, expires_at)
       values (gen_random_uuid(), $1, 'Trend.ex5', 'x', 1, 'a', 'x', now() + make_interval(secs => $2))`,
      [owner.user.id, seconds],
    );
    const list = async (userId: string) => (await run('list_expert_files', [userId, 'a'])).length;
    return [await list(owner.user.id), await list(stranger.user.id)];
  }),
];
