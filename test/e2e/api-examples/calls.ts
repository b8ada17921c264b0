/**
 * An example for each operation of the API, as a program calls it with `@berth/client`. What stands here is shown in the
 * reference as it stands: the part behind `=>`. A run of it gives the request, the command for `curl`, and the answer.
 * They run in this order, each on what those before it left behind; `prepare.ts` makes what is missing.
 */
import type { World } from './world.ts';

type Call = (world: World) => unknown;

export const calls: Record<string, Call> = {
  register: ({ berth }) =>
    berth.auth.register({ name: 'Ada Lovelace', email: 'ada@example.com', password: 'correct horse' }),
  login: ({ berth }) => berth.auth.login({ email: 'ada@example.com', password: 'correct horse' }),
  getSignInOptions: ({ berth }) => berth.auth.options(),
  getSession: ({ berth }) => berth.auth.session(),
  useSignInLink: ({ berth, code }) => berth.auth.signInLink(code),

  getProfile: ({ berth }) => berth.account.profile(),
  updateProfile: ({ berth }) => berth.account.updateProfile({ name: 'Ada King' }),
  getOffers: ({ berth }) => berth.account.offers(),
  createToken: ({ berth }) => berth.account.tokens.create({ name: 'nightly report', abilities: ['read'] }),
  listTokens: ({ berth }) => berth.account.tokens.page({ per_page: 2 }),
  deleteToken: ({ berth, tokenId }) => berth.account.tokens.delete(tokenId),
  listSessions: ({ berth }) => berth.account.sessions.list().toArray(),
  deleteSession: ({ berth, sessionId }) => berth.account.sessions.delete(sessionId),
  deleteSessions: ({ berth }) => berth.account.sessions.deleteOthers(),

  createProject: ({ berth }) => berth.projects.create({ name: 'Metals', description: 'Gold and silver' }),
  listProjects: ({ berth }) => berth.projects.page({ search: 'metals' }),
  updateProject: ({ berth, projectId }) => berth.projects.update(projectId, { name: 'Precious metals' }),

  createFile: ({ berth, program }) => berth.files.upload('Trend.ex5', program),
  listFiles: ({ berth }) => berth.files.page({ per_page: 2 }),
  getFile: ({ berth, fileId }) => berth.files.get(fileId),
  getFileContent: ({ berth, fileId }) => berth.files.content(fileId),

  listRegions: ({ berth }) => berth.regions.list({ include: 'capacity' }).toArray(),
  createTerminal: ({ berth }) =>
    berth.terminals.create({ server_name: 'Harbour-Demo', login: '5001', password: 'trade-me', region: 0 }),
  createTask: ({ berth, terminalId, fileId }) =>
    berth.tasks.create(terminalId, 'EA_INSTALL', {
      name: 'Trend',
      file_id: fileId,
      symbol: 'EURUSD',
      period: 'M15',
      inputs: { Lots: 0.1 },
      allow_algo_trading: 1,
    }),
  getTask: ({ berth, terminalId, taskId }) => berth.tasks.get(terminalId, taskId),
  listTaskHistory: ({ berth, terminalId, taskId }) => berth.tasks.history(terminalId, taskId),
  listTasks: ({ berth, terminalId }) => berth.tasks.page(terminalId, { status: 'COMPLETED', type: 'EA_INSTALL' }),
  listAllTasks: ({ berth }) => berth.tasks.pageOfAccount({ type: ['EA_INSTALL'], include: 'terminal' }),
  cancelTask: ({ berth, terminalId, taskId }) => berth.tasks.cancel(terminalId, taskId),
  createTasks: ({ berth }) =>
    berth.terminals.bulkTasks('OPTIONS_AUTO_TRADE', {
      filter: { status: ['ACTIVE'] },
      payload: { allow_algo_trading: 1 },
    }),
  createBulkRun: ({ berth }) =>
    berth.bulkRuns.create('OPTIONS_AUTO_TRADE', { all: true, payload: { allow_algo_trading: 1 } }),
  listBulkRuns: ({ berth }) => berth.bulkRuns.page({ per_page: 2 }),
  getBulkRun: ({ berth, runId }) => berth.bulkRuns.get(runId),
  listBulkRunItems: ({ berth, runId }) => berth.bulkRuns.itemsPage(runId, { state: 'succeeded' }),
  deleteBulkRun: ({ berth, runId }) => berth.bulkRuns.dismiss(runId),
  cancelBulkRun: ({ berth, runId }) => berth.bulkRuns.cancel(runId),
  takeScreenshot: ({ berth, terminalId }) => berth.terminals.freshScreenshot(terminalId),
  getScreenshot: ({ berth, terminalId }) => berth.terminals.screenshot(terminalId),
  listCharts: ({ berth, terminalId }) => berth.terminals.charts(terminalId),
  listTerminals: ({ berth }) => berth.terminals.page({ status: ['ACTIVE'], include: 'details' }),
  countTerminals: ({ berth }) => berth.terminals.counts(),
  getTerminal: ({ berth, terminalId }) => berth.terminals.get(terminalId, { include: 'details' }),
  updateTerminal: ({ berth, terminalId }) =>
    berth.terminals.update(terminalId, { name: 'Gold', screenshot_every_minutes: 5 }),
  getOverview: ({ berth, terminalId }) => berth.terminals.overview([terminalId]),
  getSamples: ({ berth, terminalId }) => berth.terminals.samples(terminalId, { step: 1 }),
  listHostTerminals: ({ berth, hostId }) => berth.operator.hosts.terminals(hostId, { per_page: 2 }),
  listEvents: ({ berth }) => berth.eventLog.page({ types: 'task.finished,terminal.*', per_page: 2 }),
  watchEvents: async ({ berth, terminalId }) => {
    for await (const event of berth.events()) {
      // The stream is open: from here on every change is reported.
      if (event.event === 'ready') await berth.tasks.create(terminalId, 'SCREENSHOT');
      if (event.event === 'task') break;
    }
  },

  createWebhook: ({ berth }) =>
    berth.webhooks.create({
      url: 'https://example.com/berth',
      events: ['terminal.down', 'terminal.up'],
    }),
  listWebhooks: ({ berth }) => berth.webhooks.page({ per_page: 2 }),
  readWebhook: ({ berth, webhookId }) => berth.webhooks.get(webhookId),
  updateWebhook: ({ berth, webhookId }) => berth.webhooks.update(webhookId, { description: 'the trading desk' }),
  rotateWebhookSecret: ({ berth, webhookId }) => berth.webhooks.rotateSecret(webhookId),
  testWebhook: ({ berth, webhookId }) => berth.webhooks.test(webhookId),
  listDeliveries: ({ berth, webhookId }) => berth.webhooks.pageOfDeliveries(webhookId, { per_page: 2 }),
  resendDelivery: ({ berth, webhookId, deliveryId }) => berth.webhooks.resend(webhookId, deliveryId),
  resendFailed: ({ berth, webhookId }) => berth.webhooks.resendFailed(webhookId, '2026-01-04T00:00:00Z'),
  deleteWebhook: ({ berth, webhookId }) => berth.webhooks.delete(webhookId),

  listNotifications: ({ berth }) => berth.account.notifications.page({ unread: true, per_page: 2 }),
  readNotification: ({ berth, notificationId }) => berth.account.notifications.read(notificationId),
  readAllNotifications: ({ berth }) => berth.account.notifications.readAll(),

  deleteTerminal: ({ berth, terminalId }) => berth.terminals.delete(terminalId),
  deleteFile: ({ berth, fileId }) => berth.files.delete(fileId),
  deleteProject: ({ berth, projectId }) => berth.projects.delete(projectId),

  listHosts: ({ berth }) => berth.operator.hosts.page({ include: 'details', per_page: 2 }),
  createJoinToken: ({ berth }) => berth.operator.joinTokens.create({ region: 1, name: 'attic', capacity: 10 }),
  retireHost: ({ berth, hostId }) => berth.operator.hosts.retire(hostId),

  forgotPassword: ({ berth }) => berth.auth.forgotPassword('ada@example.com'),
  resetPassword: ({ berth, code }) =>
    berth.auth.resetPassword({
      email: 'ada@example.com',
      code,
      password: 'battery staple',
      password_confirmation: 'battery staple',
    }),
  changePassword: ({ berth }) =>
    berth.account.changePassword({
      current_password: 'battery staple',
      new_password: 'correct horse',
      new_password_confirmation: 'correct horse',
    }),
  logout: ({ berth }) => berth.auth.logout(),
};
