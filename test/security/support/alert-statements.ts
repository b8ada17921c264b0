/** What each statement of alerts does when it alone stands between two owners. */
import { randomUUID } from 'node:crypto';
import type { Look } from './single-statements.ts';

const LOWEST_ID = '00000000-0000-0000-0000-000000000000';
const HIGHEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

interface Ids {
  channelId: string;
  ruleId: string;
  alertId: string;
}

/** A channel, a rule that names it, and an open alert of the owner, with a message that waits and is leased by nobody. */
const withAlert =
  (look: (...input: [...Parameters<Look>, ids: Ids]) => Promise<unknown>): Look =>
  async (tx, scene) => {
    const ids = { channelId: randomUUID(), ruleId: randomUUID(), alertId: randomUUID() };
    const { channelId, ruleId, alertId } = ids;
    const owner = scene.owner.user.id;
    for (const table of ['alert_messages', 'alerts', 'alert_rules', 'alert_channels', 'alert_readers', 'alert_wakes'])
      await tx.plant(`delete from ${table}`, []);
    await tx.plant(
      `insert into alert_channels (id, user_id, kind, name, settings, is_confirmed) values ($1, $2, 'email', 'c', '{"to": "a@b.c"}', false)`,
      [channelId, owner],
    );
    await tx.plant(
      `insert into alert_rules (id, user_id, name, "when", for_minutes, channel_ids) values ($1, $2, 'r', 'login_failed', 0, array[$3::uuid])`,
      [ruleId, owner, channelId],
    );
    await tx.plant(
      `insert into alerts (id, user_id, rule_id, rule_name, "when", subject, tells_at, told_at)
       values ($1, $2, $3, 'r', 'login_failed', '{}', now(), now())`,
      [alertId, owner, ruleId],
    );
    await tx.plant(
      `insert into alert_messages (id, alert_id, channel_id, user_id, kind, due_at) values ($1, $2, $3, $4, 'reminder', now())`,
      [randomUUID(), alertId, channelId, owner],
    );
    return look(tx, scene, ids);
  };

/** A message of somebody about the owner's terminal, which has a screenshot. */
const withScreenshot = (
  look: (...input: [...Parameters<Look>, messageId: string, lease: string]) => Promise<unknown>,
) =>
  withAlert(async (tx, scene, { alertId }) => {
    const lease = randomUUID();
    await tx.plant(
      `update alerts set subject = jsonb_build_object('terminals', 1, 'terminal_ids', array[$2::text]) where id = $1`,
      [...[alertId, scene.terminalId]],
    );
    await tx.plant(
      `insert into terminal_screenshots (terminal_id, file_id) values ($1, $2)
       on conflict (terminal_id) do update set file_id = excluded.file_id, taken_at = now()`,
      [scene.terminalId, scene.fileId],
    );
    const [row] = await tx.plant('update alert_messages set lease = $1, attempts = 1 returning id', [lease]);
    return look(tx, scene, String(row?.id), lease);
  });

const anothersScreenshots: Look[] = [
  withScreenshot(async ({ run, plant }, { stranger }, id, lease) => {
    await plant('update alert_messages set user_id = $1', [stranger.user.id]);
    return (await run('choose_alert_screenshot', [id, lease])).map((row) => row.screenshot_id === null);
  }),
  withScreenshot(async ({ run }, _scene, id) => (await run('choose_alert_screenshot', [id, randomUUID()])).length),
  withScreenshot(async ({ run }, { owner, stranger, fileId }) => [
    (await run('read_alert_screenshot', [fileId, owner.user.id])).length,
    (await run('read_alert_screenshot', [fileId, stranger.user.id])).length,
  ]),
  withScreenshot(async ({ run, plant }, { owner, fileId }) => {
    await plant('update files set expires_at = now() where id = $1', [fileId]);
    return (await run('read_alert_screenshot', [fileId, owner.user.id])).length;
  }),
];

export const anothersAlerts: Look[] = [
  ...anothersScreenshots,
  ...['list_alert_channels', 'list_alert_rules'].map((name) =>
    withAlert(async ({ run }, { stranger }) => (await run(name, [stranger.user.id, LOWEST_ID, 10])).length),
  ),
  ...['count_alert_channels', 'count_alert_rules'].map((name) =>
    withAlert(({ run }, { stranger }) => run(name, [stranger.user.id])),
  ),
  ...['find_alert_channel', 'lock_alert_channel', 'delete_alert_channel'].map((name) =>
    withAlert(async ({ run }, { stranger }, { channelId }) => (await run(name, [stranger.user.id, channelId])).length),
  ),
  ...['find_alert_rule', 'lock_alert_rule', 'delete_alert_rule'].map((name) =>
    withAlert(async ({ run }, { stranger }, { ruleId }) => (await run(name, [stranger.user.id, ruleId])).length),
  ),
  ...['find_alert', 'acknowledge_alert'].map((name) =>
    withAlert(async ({ run }, { stranger }, { alertId }) => (await run(name, [stranger.user.id, alertId])).length),
  ),
  withAlert(
    async ({ run }, { stranger }) =>
      (await run('list_alerts', [stranger.user.id, HIGHEST_ID, null, null, null, 10])).length,
  ),
  withAlert(
    async ({ run }, { stranger }, { channelId }) =>
      (await run('write_alert_channel', [stranger.user.id, channelId, 'x', '{}', null, true, false])).length,
  ),
  withAlert(async ({ run, plant }, { stranger }, { channelId }) => {
    await run('note_alert_channel', [stranger.user.id, channelId, 'x']);
    return plant('select last_error from alert_channels', []);
  }),
  withAlert(async ({ run }, { stranger }, { ruleId, channelId }) => {
    const values = ['x', 'login_failed', 0, null, null, null, [channelId], null, true];
    return (await run('write_alert_rule', [stranger.user.id, ruleId, ...values])).length;
  }),
  withAlert(async ({ run, plant }, { stranger }, { ruleId }) => {
    await run('end_alerts_of_rule', [stranger.user.id, ruleId]);
    return plant(
      'select a.resolved_at is null as is_open, m.status from alerts a join alert_messages m on m.alert_id = a.id',
      [],
    );
  }),
  async ({ run }, { stranger, projectId }) =>
    (await run('hold_project_of_alert_rule', [stranger.user.id, projectId])).length,
  withAlert(({ run }, { stranger, terminalId }, { channelId }) =>
    run('find_parts_of_alert_rule', [stranger.user.id, [terminalId], [channelId]]),
  ),
  withAlert(async ({ run }, { stranger }) => (await run('list_open_alerts', [stranger.user.id])).length),
  withAlert(async ({ run }, { stranger }) => (await run('list_rules_to_follow', [stranger.user.id])).length),
  withAlert(async ({ run }, _, { channelId }) => (await run('confirm_alert_channel', [channelId, 'd@e.f'])).length),
  // A reader of the log without terminals; and one whose place nobody else takes.
  withAlert(async ({ run, plant }, { operator, stranger }) => {
    await plant('insert into alert_readers (user_id, position) values ($1, 0)', [operator.user.id]);
    const own = (await run('lock_alert_reader', [operator.user.id])).map((row) => row.has_terminals);
    return [own, (await run('lock_alert_reader', [stranger.user.id])).length];
  }),
  // A rule names a channel that is somebody else's now.
  withAlert(async ({ run, plant }, { owner, stranger }, { channelId }) => {
    await plant('update alert_channels set user_id = $1, is_confirmed = true where id = $2', [
      stranger.user.id,
      channelId,
    ]);
    return (await run('list_rules_to_follow', [owner.user.id])).map((row) => row.channel_ids);
  }),
  // Of two hosts that were lost, one is back.
  async ({ run, plant }, { owner, host, otherHost }) => {
    await plant('delete from lost_hosts', []);
    await plant(`insert into lost_hosts (host_id, user_id) values ($1, $3), ($2, $3)`, [
      host.id,
      otherHost.id,
      owner.user.id,
    ]);
    await plant(`update hosts set status = case when id = $1 then 1 else 2 end where id in ($1, $2)`, [
      ...[host.id, otherHost.id],
    ]);
    await run('take_returned_hosts', []);
    return plant('select count(*) as total from lost_hosts', []);
  },
  withAlert(async ({ run, plant }, { owner, stranger }, { channelId, ruleId }) => {
    await plant('update alert_rules set user_id = $1 where id = $2', [stranger.user.id, ruleId]);
    await run('delete_alert_channel', [owner.user.id, channelId]);
    return plant('select cardinality(channel_ids) as total from alert_rules where id = $1', [ruleId]);
  }),
  withAlert(async ({ run, plant }, { stranger, terminalId }, { ruleId }) => {
    await plant(`insert into alert_subjects (rule_id, subject_id, name, began_at) values ($1, $2, 't', now())`, [
      ...[ruleId, terminalId],
    ]);
    await run('end_alerts_of_rule', [stranger.user.id, ruleId]);
    return plant('select count(*) as total from alert_subjects where rule_id = $1', [ruleId]);
  }),
  withAlert(async ({ run, plant }, { owner, stranger }) => {
    const [row] = await plant('insert into alert_wakes (user_id) values ($1) returning id', [owner.user.id]);
    await run('forget_alert_wakes', [stranger.user.id, [row?.id]]);
    return plant('select count(*) as total from alert_wakes where id = $1', [row?.id]);
  }),
  async ({ run, plant }, { otherHost, terminalId }) => {
    await plant(`insert into failed_experts (terminal_id, chart_id, expert, symbol) values ($1, 'x', 'e', 's')`, [
      terminalId,
    ]);
    await run('forget_failed_experts', [[terminalId], otherHost.id]);
    return plant('select count(*) as total from failed_experts where terminal_id = $1', [terminalId]);
  },
  async ({ run }, { otherHost, terminalId }) =>
    (await run('lock_terminals_of_experts', [[terminalId], otherHost.id])).length,
  withAlert(async ({ run, plant }, { stranger }, { alertId, channelId }) => {
    const values = [alertId, [channelId], 'opened', 0, false, [randomUUID()]];
    await run('insert_alert_messages', [stranger.user.id, ...values]);
    return plant('select count(*) as total from alert_messages', []);
  }),
  async ({ run, plant }, { owner, stranger }) => {
    await plant(`insert into events (user_id, type, data) values ($1, 'risk.breached', '{}')`, [owner.user.id]);
    return (await run('list_alert_moments', [stranger.user.id, 0, Number.MAX_SAFE_INTEGER])).length;
  },
  async ({ run, plant }, { stranger, terminalId }) => {
    await plant('update terminals set trading_allowed = false where id = $1', [terminalId]);
    return (await run('list_wrong_terminals', [stranger.user.id, ['trading_off']])).map((row) => row.terminal_id);
  },
  withAlert(async ({ run, plant }, { owner, stranger }) => {
    await plant('insert into alert_readers (user_id, position) values ($1, 0)', [owner.user.id]);
    await run('move_alert_reader', [stranger.user.id, 7, false, null]);
    return plant('select position from alert_readers', []);
  }),
  async ({ run, plant }, { owner, stranger }) => {
    await plant('delete from sign_in_places', []);
    await plant(
      `insert into sign_in_places (user_id, fingerprint, seen_at)
       select $1, decode(lpad(n::text, 8, '0'), 'hex'), now() - n * interval '6 days' from generate_series(1, 120) n`,
      [owner.user.id],
    );
    await plant(
      `insert into sign_in_places (user_id, fingerprint, seen_at) values ($1, decode('00000120', 'hex'), now() - interval '2 days')`,
      [stranger.user.id],
    );
    await run('note_sign_in_place', [stranger.user.id, Buffer.from('new')]);
    const count = 'select count(*) as total from sign_in_places where user_id = $1';
    return [await plant(count, [owner.user.id]), await plant(count, [stranger.user.id])];
  },
  async ({ run, plant }, { stranger, terminalId }) => {
    await plant(`update terminals set locked_reason = 'x', external_id = 'mine' where id = $1`, [terminalId]);
    const taken = await run('list_taken_external_ids', [stranger.user.id, ['mine']]);
    return [taken.length, (await run('unlock_terminal', [terminalId, stranger.user.id, true])).length];
  },
];
