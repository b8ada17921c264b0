// @module-tag browser
/** The main pages look as they did. `support/image.ts` says how the images are compared, and renewed. */
import { TerminalStatus } from '@berth/contract';
import { toChart, waitFor, type TestServer } from '@berth/testing';
import { PNG } from 'pngjs';
import { beforeAll, expect, it } from 'vitest';
import { type OpenOptions } from './support/flow.ts';
import { useHostScene } from './support/host-scene.ts';
import { assertLooks, toDifference } from './support/image.ts';
import { look, THEN } from './support/look.ts';

type Operator = Awaited<ReturnType<TestServer['registerOperator']>>;

const { scene, flow } = useHostScene({ hasWeather: false });
let user: NonNullable<OpenOptions['as']>;
let firstId: string;
let webhookId: string;

const setTimes = async (): Promise<void> => {
  const times: Record<string, string[]> = {
    users: ['created_at'],
    projects: ['created_at'],
    terminals: ['created_at', 'status_changed_at'],
    tasks: ['created_at', 'delivered_at', 'started_at', 'updated_at'],
    notifications: ['created_at'],
    webhooks: ['created_at'],
    alerts: ['opened_at'],
    alert_messages: ['due_at'],
  };
  for (const [table, columns] of Object.entries(times)) {
    const values = columns.map((column) => `${column} = '${THEN}'`).join();
    await scene.server.query(`update ${table} set ${values}`);
  }
};

/** A rule with quiet hours, the alert of the login that failed, and a webhook with what it was sent. */
const setUpAlerts = async (berth: Operator['berth']): Promise<void> => {
  const isOpen = async (): Promise<boolean> => (await berth.alerts.list({ status: 'open' }).toArray()).length === 1;
  await waitFor(isOpen, { what: 'the alert of the login that failed' });
  const settings = { topic: 'harbour-desk' };
  const { id: channelId } = await berth.alerts.channels.create({ kind: 'ntfy', name: 'Telephone', settings });
  await berth.alerts.rules.create({
    ...{ name: 'Desk at night', when: 'host_lost', channel_ids: [channelId] },
    quiet_hours: { from: '22:00', to: '06:30', time_zone: 'UTC' },
  });
  // Nobody can be sent anything there, and nothing that it asks for happens any more.
  const webhook = await berth.webhooks.create({
    url: 'https://hooks.northpier.example/berth',
    events: ['host.lost', 'security.password_changed'],
    description: 'Desk',
  });
  webhookId = webhook.id;
  const attempts = [
    { at: THEN, response_status: 503, response_excerpt: 'upstream', ms: 198, error: 'The endpoint answered 503.' },
    { at: '2026-03-02T10:00:06Z', response_status: 204, response_excerpt: '', ms: 84, error: null },
  ];
  const insert = `insert into webhook_deliveries (id, webhook_id, event_type, status, attempts, attempt_count, next_attempt_at, created_at)
    values ($1, $2, 'host.lost', $3, $4, $5, null, $6)`;
  for (const [index, status] of (['succeeded', 'failed', 'succeeded'] as const).entries()) {
    const some = status === 'failed' ? attempts.slice(0, 1) : attempts.slice(index === 0 ? 0 : 1);
    const values = [
      `00000000-0000-7000-8000-00000000000${index}`,
      webhookId,
      status,
      JSON.stringify(some),
      some.length,
      THEN,
    ];
    await scene.server.query(insert, values);
  }
  await scene.server.query(
    `insert into webhook_half_hours
     select $1, n, date_bin('30 minutes', now(), 'epoch') - n * interval '30 minutes', 40 + n % 9, 38, case when n in (8, 9) then 12 else 0 end,
       array_fill(0, array[15]) || '{20,60,15,4,1}'::integer[] || array_fill(0, array[20])
     from generate_series(0, 47) as n`,
    [webhookId],
  );
};

beforeAll(async () => {
  const operator = await scene.server.registerOperator();
  const { token, berth } = operator;
  user = operator.user;
  const ids: string[] = [];
  // One after the other, so that lists have them in this order each time.
  for (const name of ['Harbour north', 'Harbour south', 'Quay scalper', 'Night desk']) {
    ids.push(...(await scene.createTerminals(token, [name])));
  }
  const [first = '', second = '', third = ''] = ids;
  firstId = first;
  await scene.host.sendCharts(first, toChart());
  const report = { kind: 'terminal', terminal_id: second, reason: 'Invalid account.' } as const;
  await scene.host.report({ ...report, status: TerminalStatus.LOGIN_FAILED });
  await berth.tasks.create(third, 'MARKET_WATCH_SHOW_ALL', {});
  const step = { step: 'find_symbols', ok: false, code: 'E_UNSUPPORTED', message: 'No list of symbols.' } as const;
  await scene.fail(await scene.claim('MARKET_WATCH_SHOW_ALL'), step);
  await berth.tasks.create(first, 'OPTIONS_AUTO_TRADE', { allow_algo_trading: 0 });
  await scene.complete(await scene.claim('OPTIONS_AUTO_TRADE'), { enabled: false, verified: true });
  await setUpAlerts(berth);
  await setTimes();
});

const PHONE = { width: 375, height: 720 };

flow('the sign-in page, by day', async (visit) => {
  await assertLooks(await look(visit, '/sign-in', 'Create account', { colorScheme: 'light' }), 'sign-in-day');
});

flow('the list of terminals, by night and on a phone by day', async (visit) => {
  await assertLooks(await look(visit, '/terminals', 'Night desk', { as: user }), 'terminals-night');
  const phone = { as: user, viewport: PHONE, colorScheme: 'light' } as const;
  await assertLooks(await look(visit, '/terminals', 'Night desk', phone), 'terminals-phone-day');
});

flow('a terminal, by day', async (visit) => {
  const page = await look(visit, `/terminals/${firstId}?tab=charts`, 'Trend', { as: user, colorScheme: 'light' });
  await assertLooks(page, 'terminal-day');
});

flow('the alerts by night and on a phone by day, their rules by day', async (visit) => {
  await assertLooks(await look(visit, '/alerts', '10:00', { as: user }), 'alerts-night');
  const phone = { as: user, viewport: PHONE, colorScheme: 'light' } as const;
  await assertLooks(await look(visit, '/alerts', '10:00', phone), 'alerts-phone-day');
  const rules = await look(visit, '/alerts?tab=rules', 'Desk at night', { as: user, colorScheme: 'light' });
  await assertLooks(rules, 'alert-rules-day');
});

flow('a webhook by night, and how its signature is checked by day', async (visit) => {
  const path = `/account/webhooks/${webhookId}`;
  await assertLooks(await look(visit, path, '10:00', { as: user }), 'webhook-night');
  const signature = await look(visit, `${path}?tab=signature`, 'Python', { as: user, colorScheme: 'light' });
  await assertLooks(signature, 'webhook-signature-day');
});

flow('the tasks by night, and the hosts by day', async (visit) => {
  await assertLooks(await look(visit, '/tasks', 'No list of symbols.', { as: user }), 'tasks-night');
  await assertLooks(await look(visit, '/hosts', 'quay-1', { as: user, colorScheme: 'light' }), 'hosts-day');
});

it('a line of text that moved, or a button that is lost, is another look; smoother letters are none', async () => {
  const toImage = (colour: (x: number, y: number) => number): PNG => {
    const image = new PNG({ width: 400, height: 300 });
    for (let y = 0; y < 300; y += 1)
      for (let x = 0; x < 400; x += 1) image.data.fill(colour(x, y), (y * 400 + x) * 4, (y * 400 + x) * 4 + 4);
    return image;
  };
  const isText = (x: number, y: number): boolean => y >= 100 && y < 114 && x > 40 && x < 300 && x % 4 < 2;
  const plain = toImage((x, y) => (isText(x, y) ? 0 : 255));
  const smooth = toImage((x, y) => (isText(x, y) ? 30 : 240));
  const moved = toImage((x, y) => (isText(x, y - 20) ? 0 : 255));
  const lost = toImage(() => 255);
  expect(toDifference(plain, smooth)).toBe(0);
  expect(toDifference(plain, moved)).toBeGreaterThan(1 / 200);
  expect(toDifference(plain, lost)).toBeGreaterThan(1 / 200);
});
