/**
 * Counts, beside the servers, what became of each alert: terminals cannot log in one after the other, and later can again. Each
 * has a rule of its own, and each user two channels, so that each alert must be told by two messages, and its end by two more.
 */
import { TerminalStatus } from '@berth/contract';
import {
  startWebhookReceiver,
  waitFor,
  waitForAll,
  type TestAccount,
  type TestClient,
  type TestHost,
} from '@berth/testing';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { toHolding, type Query } from './counting.ts';

const CHANNELS_EACH = 2;
const REPORT_EVERY_MS = 300;
/** Within the 15 s that a call may take. */
const HELD_MS = 13_000;

/** A terminal that is to have an alert. */
interface Trouble {
  terminalId: string;
  /** Nothing else is named like it. */
  name: string;
  ruleId: string;
  channels: readonly { id: string; path: string }[];
}

export interface Troubles {
  /** The next terminal of each user cannot log in from now on. */
  begin(): Promise<void>;
  /** All terminals can log in from now on. */
  end(): void;
  /** The channels answer late, or when they are let. @returns what lets them answer */
  hold(): () => void;
  /** Where the servers are whose calls wait for an answer. */
  listCallers(): string[];
  /** @returns how many calls came since, for messages that had been tried before */
  watchRepeats(): () => number;
  /** Waits until each alert is over and told, and holds it to the rules. @returns how many there were */
  expectAllCounted(): Promise<{ alerts: number; messages: number; requests: number }>;
  close(): Promise<void>;
}

export interface TroublesOptions {
  users: readonly TestAccount[];
  /** Goes to any of the servers. */
  client: TestClient;
  query: Query;
  /** Has the terminals. */
  host: TestHost;
  region: number;
  /** Terminals of each user. */
  each: number;
}

interface Told {
  path: string;
  title: string;
  /** The server that sent it, by its own address. */
  from: string;
  /** Of the link that acknowledges; undefined: there is none. */
  alertId: string | undefined;
}

const toTold = ({ path, body }: { path: string; body: string }): Told => {
  const { title, click, actions } = JSON.parse(body) as { title: string; click: string; actions?: { url: string }[] };
  return {
    path,
    title,
    from: new URL(click).origin,
    alertId: /alert-links\/acknowledge\/([^/]+)\//.exec(actions?.[0]?.url ?? '')?.[1],
  };
};

const create = async (client: TestClient, token: string, path: string, body: object): Promise<string> => {
  const answer = await client.request('POST', `/v1/my/${path}`, { token, body });
  expect(answer.status).toBe(200);
  return (answer.body as { data: { id: string } }).data.id;
};

/** Gives each user terminals, a rule for each, and channels. */
export const startTroubles = async (options: TroublesOptions): Promise<Troubles> => {
  const { users, client, query, host, region, each } = options;
  const receiver = await startWebhookReceiver();
  receiver.answer = () => ({ status: 200 });
  const troubles: Trouble[][] = [];
  for (const [number, { token }] of users.entries()) {
    const channels: { id: string; path: string }[] = [];
    for (let count = 0; count < CHANNELS_EACH; count += 1) {
      const path = `/chat/${number}/${count}/`;
      const settings = { server_url: new URL(path, receiver.url).href, topic: 'counted' };
      channels.push({
        id: await create(client, token, 'alert-channels', { kind: 'ntfy', name: path, settings }),
        path,
      });
    }
    const own: Trouble[] = [];
    for (let count = 0; count < each; count += 1) {
      const name = `troubled ${number} ${count}`;
      const account = { server_name: 'Demo', login: `9${number}${count}`, password: 'a-password', region, name };
      const terminalId = await create(client, token, 'trading/terminals', account);
      const rule = {
        name,
        when: 'login_failed',
        terminal_ids: [terminalId],
        channel_ids: channels.map(({ id }) => id),
      };
      own.push({ terminalId, name, ruleId: await create(client, token, 'alert-rules', rule), channels });
    }
    troubles.push(own);
  }
  await host.installAll();

  const statuses = new Map<string, TerminalStatus>(
    troubles.flat().map(({ terminalId }) => [terminalId, TerminalStatus.ACTIVE]),
  );
  let isOver = false;
  /** As agents do: again and again, whatever the answer is. */
  const reportOn = async (): Promise<void> => {
    while (!isOver) {
      const reports = [...statuses].map(([id, status]) => ({
        kind: 'terminal' as const,
        terminal_id: id,
        status: status as never,
      }));
      await Promise.allSettled([host.report(...reports), host.heartbeat()]);
      await delay(REPORT_EVERY_MS);
    }
  };
  const reporting = reportOn();

  const listTold = (): Told[] => receiver.received.map(toTold);
  const { held, hold } = toHolding(receiver, { status: 200, heldMs: HELD_MS });
  let begun = 0;
  let callsBefore = 0;
  const countOpened = async (): Promise<number> => {
    const ids = troubles.flat().map(({ ruleId }) => ruleId);
    const rows = await query('select count(*)::int as count from alerts where rule_id = any($1)', [ids]).catch(
      () => [],
    );
    return Number(rows[0]?.count ?? 0);
  };

  const expectTrouble = async ({ name, ruleId, channels }: Trouble, told: readonly Told[]): Promise<number> => {
    const alerts = await query('select id::text, resolved_at is not null as is_over from alerts where rule_id = $1', [
      ruleId,
    ]);
    expect(alerts, `alerts of ${name}`).toEqual([{ id: expect.any(String) as unknown, is_over: true }]);
    const { id } = alerts[0]!;
    const events = await query(
      `select type from events where type in ('alert.opened', 'alert.resolved') and data->>'alert_id' = $1 order by id`,
      [id],
    );
    expect(events, `events of ${name}`).toEqual([{ type: 'alert.opened' }, { type: 'alert.resolved' }]);
    const messages = await query(
      'select channel_id::text, kind, status from alert_messages where alert_id = $1 order by channel_id, kind',
      [id],
    );
    const must = [...channels]
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .flatMap((channel) => [
        { channel_id: channel.id, kind: 'opened', status: 'sent' },
        { channel_id: channel.id, kind: 'resolved', status: 'sent' },
      ]);
    expect(messages, `messages of ${name}`).toEqual(must);
    for (const { path } of channels) {
      const here = told.filter((one) => one.path === path && one.title.endsWith(`Terminal ${name} cannot log in`));
      const isEnd = ({ title }: Told): boolean => title.startsWith('Over: ');
      expect(here.some(isEnd), `the end of ${name} at ${path}`).toBe(true);
      expect(isEnd(here[0]!), `the end of ${name} comes first at ${path}`).toBe(false);
      // A message that came late, when the alert was over, has no such link.
      const others = here.filter(({ alertId }) => alertId !== undefined && alertId !== id);
      expect(others, `other alerts that ${path} was told of ${name}`).toEqual([]);
    }
    return messages.length;
  };

  return {
    hold: () => {
      callsBefore = receiver.received.length;
      return hold();
    },
    listCallers: () =>
      held.length === 0
        ? []
        : listTold()
            .slice(callsBefore)
            .map(({ from }) => from),
    begin: async () => {
      for (const own of troubles) {
        const { terminalId } = own[begun]!;
        statuses.set(terminalId, TerminalStatus.LOGIN_FAILED);
      }
      begun += 1;
      await waitForAll(countOpened, begun * users.length, { what: 'alerts that are opened' });
    },
    end: () => {
      for (const id of statuses.keys()) statuses.set(id, TerminalStatus.ACTIVE);
    },
    watchRepeats: () => {
      const before = listTold();
      const isKnown = ({ path, title }: Told) => before.some((one) => one.path === path && one.title === title);
      return () => listTold().slice(before.length).filter(isKnown).length;
    },
    expectAllCounted: async () => {
      const open = `select id from alerts where rule_id = any($1) and resolved_at is null
        union all select id from alert_messages where status = 'pending'`;
      const ids = troubles.flat().map(({ ruleId }) => ruleId);
      await waitFor(async () => (await query(open, [ids])).length === 0, { what: 'the end of all alerts' });
      const told = listTold();
      let messages = 0;
      for (const trouble of troubles.flatMap((own) => own.slice(0, begun)))
        messages += await expectTrouble(trouble, told);
      return { alerts: await countOpened(), messages, requests: told.length };
    },
    close: async () => {
      isOver = true;
      await reporting;
      await receiver.close();
    },
  };
};
