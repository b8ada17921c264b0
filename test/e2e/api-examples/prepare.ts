/** What has to be there before an example runs, and what is taken from its answer for those after it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Berth, type Terminal, type TerminalCharts } from '@berth/client';
import { farAhead, logInOperator, TestHost, waitFor, type TestStack } from '@berth/testing';
import { endMinute, plantHostMinute } from '../minutes.ts';
import { plantAccount } from '../planted-account.ts';
import { plantBreach } from '../planted-breach.ts';
import type { World } from './world.ts';

export interface Scene {
  stack: TestStack;
  world: World;
  /** Without the noting: for what an example needs, and is no example. */
  user: Berth;
  /** The tokens that examples are called with. */
  tokens: { user: string; operator: string };
  setUserToken: (token: string) => void;
}

type Step = (scene: Scene) => Promise<void>;
type Taken = (scene: Scene, answer: any) => Promise<void> | void;

const WAIT_MS = 300_000;
const waitLong = <Value>(what: string, look: () => Promise<Value | false | undefined>): Promise<Value> =>
  waitFor(look, { what, timeoutMs: WAIT_MS });

const readNewestMail = (dataDir: string): string => {
  const folder = join(dataDir, 'mail');
  const newest = existsSync(folder) ? readdirSync(folder).sort().at(-1) : undefined;
  return newest === undefined ? '' : readFileSync(join(folder, newest), 'utf8').replaceAll(/=\r?\n/g, '');
};
const readMailedCode = (dataDir: string): string => /^ {4}(\w+-\w+)$/m.exec(readNewestMail(dataDir))?.[1] ?? '';
const readMailedLink = (dataDir: string): string =>
  /^http:\S+\/alert-links\/confirm\/\S+/m.exec(readNewestMail(dataDir))?.[0] ?? '';

const logInAgain =
  (password: string): Step =>
  async ({ stack, setUserToken }) => {
    const { token } = await new Berth({ baseUrl: stack.url }).auth.login({ email: 'ada@example.com', password });
    setUserToken(token ?? '');
  };

const isMeasured = ({ memory_mb, link }: Terminal): boolean =>
  typeof memory_mb === 'number' && typeof link?.ping_ms === 'number';

const hasRunningExpert = ({ data }: TerminalCharts): boolean => data.some(({ expert }) => expert?.state === 'running');

export const before: Record<string, Step> = {
  useSignInLink: async ({ stack, world }) => {
    world.code = (await stack.server.waitForLine(/#sign-in=(\S+)/))[1] ?? '';
  },
  cancelTask: async ({ user, world }) => {
    const options = { plannedAt: farAhead };
    world.taskId = (await user.tasks.create(world.terminalId, 'SCREENSHOT', {}, options)).id;
  },
  cancelAnyTask: async ({ user, world }) => {
    const options = { plannedAt: farAhead };
    world.taskId = (await user.tasks.create(world.terminalId, 'SCREENSHOT', {}, options)).id;
  },
  // The server has no folder for backups.
  requestBackup: async ({ stack }) => {
    const plan = `'x', 86400, now() + interval '1 day'`;
    await stack.query(`insert into scheduled_backup (plan, interval_seconds, due_at) values (${plan})`);
  },
  getBulkRun: async ({ user, world }) => {
    await waitLong('the end of the run', async () => (await user.bulkRuns.get(world.runId)).finished_at !== null);
  },
  cancelBulkRun: async ({ user, world }) => {
    const order = { all: true, planned_at: farAhead } as const;
    world.runId = (await user.bulkRuns.create('SCREENSHOT', order)).id;
  },
  getTradingStop: async ({ user }) => {
    await waitLong('the confirmation, and a check', async () => {
      const { stop, readiness } = await user.tradingStop.get();
      return stop?.unconfirmed === 0 && readiness.unchecked === 0;
    });
  },
  getScreenshot: async ({ user, world }) => {
    await waitLong('a screenshot', () => user.terminals.screenshot(world.terminalId).catch(() => undefined));
  },
  listCharts: async ({ user, world }) => {
    await waitLong('a running expert', async () => hasRunningExpert(await user.terminals.charts(world.terminalId)));
  },
  listTerminals: async ({ user, world }) => {
    const read = () => user.terminals.get(world.terminalId, { include: 'details' });
    await waitLong('what is measured', async () => isMeasured(await read()));
  },
  getSamples: ({ stack, world }) => endMinute(stack, world.terminalId),
  getHostSamples: ({ stack, world }) => plantHostMinute(stack, world.hostId),
  listHostTerminals: async ({ user, world }) => {
    world.hostId = (await user.terminals.get(world.terminalId)).server_id ?? '';
  },
  getAccount: ({ stack, world }) => plantAccount(stack, world.terminalId),
  listRiskBreaches: async ({ stack, world }) => {
    world.breachId = await plantBreach(stack, world);
  },
  // Nobody is there: each try ends with an error.
  listDeliveries: async ({ user, world }) => {
    await waitLong('a try', async () => {
      const { data } = await user.webhooks.pageOfDeliveries(world.webhookId);
      return data.length > 0 && data.every(({ attempts }) => attempts.length > 0);
    });
  },
  // The default rules write to the channels that there are when they are created: to none.
  createAlertChannel: async ({ user }) => {
    await waitLong('the default rules', async () => (await user.alerts.rules.page()).data.length > 0);
  },
  // There is no such chart.
  listAlerts: async ({ user, world }) => {
    await user.tasks.create(world.terminalId, 'EA_UPDATE', { chart_id: '999', inputs: { Lots: 0.2 } });
    await waitLong('an alert', async () => {
      const [alert] = (await user.alerts.page()).data;
      world.alertId = alert?.id ?? '';
      return alert?.messages[0]?.ok === true;
    });
  },
  readNotification: async ({ user, world }) => {
    const [first] = (await user.account.notifications.page({ unread: true })).data;
    world.notificationId = first?.id ?? '';
  },
  // Somewhere to go. It does nothing.
  moveTerminal: async ({ stack, tokens }) => {
    const { operator } = new Berth({ baseUrl: stack.url, token: tokens.operator });
    await TestHost.join(stack, (await operator.joinTokens.create({ region: 1, name: 'cellar' })).join_token);
  },
  updateHost: async ({ stack, world, tokens }) => {
    const { operator } = new Berth({ baseUrl: stack.url, token: tokens.operator });
    const order = { region: 1, name: 'attic', capacity: 1 };
    world.hostId = (await TestHost.join(stack, (await operator.joinTokens.create(order)).join_token)).id;
  },
  resetPassword: async ({ stack, world }) => {
    world.code = await waitLong('a mail', async () => readMailedCode(stack.dataDir));
  },
};

/** What a call has done only after its answer. */
export const settled: Record<string, Step> = {
  forgotPassword: async ({ stack }) => {
    const text = `select from audit_log where action = 'password.request'`;
    await waitLong('the row of the mail', async () => (await stack.query(text)).length > 0);
  },
};

export const after: Record<string, Taken> = {
  register: async (scene, { data }) => {
    scene.setUserToken(data.token as string);
    scene.tokens.operator = (await logInOperator(scene.stack)).token;
  },
  createJoinToken: ({ world }, { data }) => void (world.joinTokenId = String(data.join_token).split('|')[0] ?? ''),
  createToken: ({ world }, { data }) => void (world.tokenId = Number(String(data.token).split('|')[0])),
  listSessions: ({ world }, { data }) => void (world.sessionId = data[0].id),
  createProject: ({ world }, { data }) => void (world.projectId = data.id),
  createFile: ({ world }, { data }) => void (world.fileId = data.id),
  createTerminal: async ({ world, user }, { data }) => {
    world.terminalId = data.id;
    await user.terminals.waitFor(data.id as string, 'ACTIVE');
  },
  createTask: async ({ world, user }, { data }) => {
    world.taskId = data.id;
    await user.tasks.waitFor(world.terminalId, data.id as string);
  },
  createRiskRule: ({ world }, { data }) => void (world.riskRuleId = data.id),
  takeSnapshot: ({ world }, { data }) => void (world.snapshotId = data.id),
  createSchedule: ({ world }, { data }) => void (world.scheduleId = data.id),
  createAlertChannel: async ({ world, stack }, { data }) => {
    world.alertChannelId = data.id;
    await fetch(await waitLong('a mail', async () => readMailedLink(stack.dataDir)), { method: 'POST' });
  },
  createAlertRule: ({ world }, { data }) => void (world.alertRuleId = data.id),
  createWebhook: ({ world }, { data }) => void (world.webhookId = data.id),
  testWebhook: ({ world }, { data }) => void (world.deliveryId = data.id),
  createInvitation: ({ world }, { data }) => {
    world.invitationId = data.invitation.id;
    world.code = String(data.url).split('#invitation=')[1] ?? '';
  },
  // The first one was accepted.
  acceptInvitation: async ({ stack, world, tokens }) => {
    const { operator } = new Berth({ baseUrl: stack.url, token: tokens.operator });
    world.invitationId = (await operator.invitations.create()).invitation.id;
  },
  createUser: ({ world }, { data }) => {
    world.userId = data.user.id;
    world.code = String(data.password_link.url).split('#password=')[1] ?? '';
  },
  createBulkRun: ({ world }, { data }) => void (world.runId = data.id),
  deleteTerminal: async ({ world, user }) => {
    await waitLong('an end of the terminal', async () => (await user.terminals.page()).data.length === 0);
    world.terminalId = '';
  },
  resetPassword: logInAgain('battery staple'),
  changePassword: logInAgain('correct horse'),
};
