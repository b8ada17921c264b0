/** What the statements of a trader's day do for its user alone: projects, tags, the library of experts, saved views. */
import type { Look } from './single-statements.ts';

export const anothersTags: Look[] = [
  async ({ run }, { stranger, projectId }) =>
    (await run('update_project', [stranger.user.id, projectId, 'Taken', false, null])).length,
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
  async ({ run, plant }, { owner, stranger, terminalId }) => {
    await plant(`update terminals set tags = '{own}' where id = $1`, [terminalId]);
    const seen = [];
    for (const { user } of [owner, stranger]) {
      const [row] = await run('list_terminal_choices', [user.id, ...Array.from({ length: 8 }, () => null)]);
      seen.push(row);
    }
    return seen;
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

/** A view of the owner. */
const withView =
  (look: Look): Look =>
  async (tx, scene) => {
    await tx.plant('delete from saved_views', []);
    await tx.plant(`insert into saved_views (user_id, name, page, query) values ($1, 'Mine', 'tasks', '')`, [
      scene.owner.user.id,
    ]);
    return look(tx, scene);
  };

export const anothersViews: Look[] = [
  withView(async ({ run }, { stranger }) => (await run('list_views', [stranger.user.id])).length),
  withView(({ run }, { stranger }) => run('count_other_views', [stranger.user.id, 'Other'])),
  withView(async ({ run }, { stranger }) => (await run('delete_view', [stranger.user.id, 'Mine'])).length),
];
