/** A user with terminals on a host, and a chat that is told of them. Time passes by moving the rows' times back. */
import type { Alert, AlertChannel, AlertRule, TerminalStatus } from '@berth/contract';
import { TestHost, waitFor, type TestServer } from '@berth/testing';
import { answers, toJson, type Chat } from './chats.ts';

export interface Scene {
  user: { id: string; email: string };
  token: string;
  host: TestHost;
  /** Ids of the terminals. */
  ids: string[];
  rule: AlertRule;
  channel: AlertChannel;
}

const toData = <Data>({ body }: { body: unknown }): Data => (body as { data: Data }).data;

export const request = (server: TestServer, token: string, method: string, path: string, body?: object) =>
  server.request(method, `/v1/my/${path}`, { token, ...(body ? { body } : {}) });

/** A host that gets all terminals from now on: those of earlier tests are full. */
export const enrolAlone = async (server: TestServer, name = 'alone'): Promise<TestHost> => {
  await server.query(
    `update hosts set capacity = greatest(1, terminal_count), status = case when terminal_count = 0 then 3 else status end`,
  );
  return TestHost.enrol(server, { name });
};

export const createTerminals = async (
  server: TestServer,
  token: string,
  names: readonly string[],
): Promise<string[]> => {
  const ids: string[] = [];
  for (const [index, name] of names.entries()) {
    const body = { server_name: 'Demo', login: String(index + 1), password: 'secret-password', region: 0, name };
    ids.push(toData<{ id: string }>(await server.request('POST', '/v1/my/trading/terminals', { token, body })).id);
  }
  return ids;
};

/**
 * @param rule in addition to the condition; without default rules, which are of another test
 * @param told the channel; one of ntfy unless it says otherwise
 */
export const createScene = async (
  server: TestServer,
  chat: Chat,
  { names = ['One'], told, ...rule }: { names?: string[]; when: AlertRule['when']; told?: object } & Partial<AlertRule>,
): Promise<Scene> => {
  const { user, token } = await server.register('Scene');
  const host = await enrolAlone(server, `host of ${user.email}`);
  const ids = await createTerminals(server, token, names);
  await host.installAll();
  await waitFor(async () => (await listRules(server, token)).length === 3);
  for (const { id } of await listRules(server, token)) await request(server, token, 'DELETE', `alert-rules/${id}`);
  const settings = { server_url: chat.origin, topic: 'berth' };
  const ntfy = { kind: 'ntfy', name: 'chat', settings };
  const made = await request(server, token, 'POST', 'alert-channels', { ...ntfy, ...told });
  const channel = toData<AlertChannel>(made);
  const created = await request(server, token, 'POST', 'alert-rules', {
    ...{ name: 'Rule', for_minutes: 0, channel_ids: [channel.id] },
    ...rule,
  });
  return { user, token, host, ids, channel, rule: toData<AlertRule>(created) };
};

export const listRules = async (server: TestServer, token: string): Promise<AlertRule[]> =>
  toData(await request(server, token, 'GET', 'alert-rules?per_page=100'));
export const listAlerts = async (server: TestServer, token: string): Promise<Alert[]> =>
  toData(await request(server, token, 'GET', 'alerts?per_page=100'));

/** Takes a screenshot of a terminal. @param content what its host uploads */
export const takeScreenshot = async (
  server: TestServer,
  { token, host }: Pick<Scene, 'token' | 'host'>,
  id: string,
  content: Buffer,
): Promise<string> => {
  const task = toData<{ id: string }>(await request(server, token, 'POST', `trading/terminals/${id}/screenshot`));
  const claimed = (await host.claim()).find((one) => one.id === task.id)!;
  const { file } = await host.upload(claimed, content);
  const { id: fileId, sha256, size: bytes, type } = file;
  await host.complete(claimed, { file: { id: fileId, sha256, bytes, type, width: 700, height: 350 } });
  return fileId;
};

/** What the host sees of terminals. */
export const report = (host: TestHost, ids: readonly string[], status: TerminalStatus, reason?: string) =>
  host.report(
    ...ids.map((id) => ({
      kind: 'terminal' as const,
      terminal_id: id,
      status: status as never,
      ...(reason === undefined ? {} : { reason }),
    })),
  );

/** So many minutes pass for the alerts of a user. */
export const pass = async (server: TestServer, userId: string, minutes: number): Promise<void> => {
  const by = `interval '${minutes} minutes'`;
  await server.query(
    `with downs as (update terminal_downs set since = since - ${by} where terminal_id in (select id from terminals where user_id = $1)),
     subjects as (
       update alert_subjects set began_at = began_at - ${by}, ended_at = ended_at - ${by}
       where rule_id in (select id from alert_rules where user_id = $1)
     ), alerts as (
       update alerts set opened_at = opened_at - ${by}, told_at = told_at - ${by}, tells_at = tells_at - ${by} where user_id = $1
     ), messages as (
       update alert_messages set due_at = due_at - ${by}, tried_at = tried_at - ${by} where user_id = $1
     )
     insert into alert_wakes (user_id) values ($1)`,
    [userId],
  );
};

/** The alerts of a user were looked at since. */
export const settle = async (server: TestServer, userId: string): Promise<void> => {
  await server.query('insert into alert_wakes (user_id) values ($1)', [userId]);
  await waitFor(
    async () => (await server.query('select 1 from alert_wakes where user_id = $1', [userId])).length === 0,
  );
};

interface Told {
  title: string;
  message: string;
  actions?: { url: string }[];
}
/** What the chat was told, in order. */
export const toldTo = (chat: Chat): Told[] => chat.received.map((one) => toJson(one) as unknown as Told);
/** Without what keeps names from being taken for addresses. */
export const titlesOf = (chat: Chat): string[] => toldTo(chat).map(({ title }) => title.replaceAll('\u200b', ''));
export const taken = answers.ntfy.taken;
