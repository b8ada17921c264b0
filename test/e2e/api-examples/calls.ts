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
  getUsage: ({ berth }) => berth.account.usage(),
  createToken: ({ berth }) => berth.account.tokens.create({ name: 'nightly report', abilities: ['read'] }),
  listTokens: ({ berth }) => berth.account.tokens.page({ per_page: 2 }),
  deleteToken: ({ berth, tokenId }) => berth.account.tokens.delete(tokenId),
  listSessions: ({ berth }) => berth.account.sessions.list().toArray(),
  confirmSession: ({ berth }) => berth.account.sessions.confirm('correct horse'),
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
  listExperts: ({ berth }) => berth.files.experts(),
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
  startTradingStop: ({ berth }) => berth.tradingStop.start(),
  getTradingStop: ({ berth }) => berth.tradingStop.get(),
  endTradingStop: ({ berth }) => berth.tradingStop.end({ restore: true }),
  takeScreenshot: ({ berth, terminalId }) => berth.terminals.freshScreenshot(terminalId),
  getScreenshot: ({ berth, terminalId }) => berth.terminals.screenshot(terminalId),
  explainTerminal: ({ berth, terminalId }) => berth.terminals.why(terminalId),
  listCharts: ({ berth, terminalId }) => berth.terminals.charts(terminalId),
  takeSnapshot: ({ berth, terminalId }) => berth.terminals.takeSnapshot(terminalId),
  listSnapshots: ({ berth, terminalId }) => berth.terminals.snapshots(terminalId),
  deleteSnapshot: ({ berth, terminalId, snapshotId }) => berth.terminals.deleteSnapshot(terminalId, snapshotId),
  listTerminals: ({ berth }) => berth.terminals.page({ status: ['ACTIVE'], include: 'details' }),
  countTerminals: ({ berth }) => berth.terminals.counts(),
  getTerminal: ({ berth, terminalId }) => berth.terminals.get(terminalId, { include: 'details' }),
  updateTerminal: ({ berth, terminalId }) =>
    berth.terminals.update(terminalId, { name: 'Gold', screenshot_every_minutes: 5, tags: ['metals'] }),
  unlockTerminal: ({ berth, terminalId }) => berth.terminals.unlock(terminalId, { reason: 'Reviewed with the trader' }),
  getOverview: ({ berth, terminalId }) => berth.terminals.overview([terminalId]),
  getSamples: ({ berth, terminalId }) => berth.terminals.samples(terminalId, { step: 1 }),
  getOperatorOverview: ({ berth }) => berth.operator.overview(),
  listHostTerminals: ({ berth, hostId }) => berth.operator.hosts.terminals(hostId, { per_page: 2 }),
  getHostSamples: ({ berth, hostId }) => berth.operator.hosts.samples(hostId, { step: 1 }),
  listEvents: ({ berth }) => berth.eventLog.page({ types: 'task.finished,terminal.*', per_page: 2 }),
  watchEvents: async ({ berth, terminalId }) => {
    for await (const event of berth.events()) {
      // The stream is open: from here on every change is reported.
      if (event.event === 'ready') await berth.tasks.create(terminalId, 'SCREENSHOT');
      if (event.event === 'task') break;
    }
  },

  createTerminals: ({ berth }) =>
    berth.terminals.createMany({
      items: [{ server_name: 'Harbour-Demo', login: '5002', password: 'trade-me', tags: ['import'] }],
      dry_run: true,
    }),
  tagTerminals: ({ berth, terminalId }) =>
    berth.terminals.tagMany({ terminal_ids: [terminalId], add: ['prop'], remove: ['import'] }),
  saveView: ({ berth }) =>
    berth.views.save('Prop, failed', {
      page: 'terminals',
      query: 'tag=prop&status=needs-attention',
      columns: ['server', 'equity', 'today'],
    }),
  listViews: ({ berth }) => berth.views.list(),
  deleteView: ({ berth }) => berth.views.delete('Prop, failed'),
  createSchedule: ({ berth }) =>
    berth.schedules.create({
      name: 'Off for the weekend',
      all: true,
      type: 12,
      payload: { allow_algo_trading: 0 },
      cron: '0 21 * * 5',
      time_zone: 'Europe/London',
      missed: 'run_once',
    }),
  listSchedules: ({ berth }) => berth.schedules.page({ per_page: 2 }),
  getSchedule: ({ berth, scheduleId }) => berth.schedules.get(scheduleId),
  updateSchedule: ({ berth, scheduleId }) => berth.schedules.update(scheduleId, { enabled: false }),
  deleteSchedule: ({ berth, scheduleId }) => berth.schedules.delete(scheduleId),

  getAccount: ({ berth, terminalId }) => berth.terminals.account(terminalId),
  updateAccount: ({ berth, terminalId }) => berth.terminals.updateAccount(terminalId, { initial_balance: '10000.00' }),
  getAccountHistory: ({ berth, terminalId }) => berth.terminals.accountHistory(terminalId, { step: 60 }),
  listDeals: ({ berth, terminalId }) => berth.terminals.pageOfDeals(terminalId, { per_page: 2 }),
  listAllDeals: ({ berth }) => berth.trading.pageOfDeals({ per_page: 2 }),
  getAccountsOverview: ({ berth }) => berth.trading.overview(),

  createRiskRule: ({ berth }) =>
    berth.riskRules.create({
      name: 'Daily loss',
      all: true,
      kind: 'daily_loss',
      percent: 3,
      basis: 'higher',
      day_starts: '00:00',
      time_zone: 'Europe/London',
      actions: ['notify'],
    }),
  listRiskRules: ({ berth }) => berth.riskRules.page({ per_page: 2 }),
  readRiskRule: ({ berth, riskRuleId }) => berth.riskRules.get(riskRuleId),
  updateRiskRule: ({ berth, riskRuleId }) => berth.riskRules.update(riskRuleId, { percent: 4 }),
  readRiskState: ({ berth, riskRuleId }) => berth.riskRules.pageOfStates(riskRuleId),
  tryRiskRule: ({ berth }) =>
    berth.riskRules.try({
      rule: { name: 'Daily loss', all: true, kind: 'daily_loss', percent: 3, actions: ['notify'] },
      from: '2026-01-01T00:00:00Z',
      to: '2026-01-08T00:00:00Z',
    }),
  listRiskBreaches: ({ berth }) => berth.riskBreaches.page({ per_page: 2 }),
  readBreachEvidence: ({ berth, breachId }) => berth.riskBreaches.evidence(breachId),
  deleteRiskRule: ({ berth, riskRuleId }) => berth.riskRules.delete(riskRuleId),

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
  createAlertChannel: ({ berth }) =>
    berth.alerts.channels.create({ kind: 'email', name: 'Office', settings: { to: 'ada@example.com' } }),
  listAlertChannels: ({ berth }) => berth.alerts.channels.page({ per_page: 2 }),
  readAlertChannel: ({ berth, alertChannelId }) => berth.alerts.channels.get(alertChannelId),
  updateAlertChannel: ({ berth, alertChannelId }) => berth.alerts.channels.update(alertChannelId, { name: 'Desk' }),
  testAlertChannel: ({ berth, alertChannelId }) => berth.alerts.channels.test(alertChannelId),
  createAlertRule: ({ berth, alertChannelId }) =>
    berth.alerts.rules.create({ name: 'Tasks', when: 'task_failed', channel_ids: [alertChannelId] }),
  listAlertRules: ({ berth }) => berth.alerts.rules.page({ per_page: 2 }),
  readAlertRule: ({ berth, alertRuleId }) => berth.alerts.rules.get(alertRuleId),
  updateAlertRule: ({ berth, alertRuleId }) => berth.alerts.rules.update(alertRuleId, { name: 'Failed tasks' }),
  listAlerts: ({ berth }) => berth.alerts.page({ status: 'open', per_page: 2 }),
  readAlert: ({ berth, alertId }) => berth.alerts.get(alertId),
  acknowledgeAlert: ({ berth, alertId }) => berth.alerts.acknowledge(alertId),
  deleteAlertRule: ({ berth, alertRuleId }) => berth.alerts.rules.delete(alertRuleId),
  deleteAlertChannel: ({ berth, alertChannelId }) => berth.alerts.channels.delete(alertChannelId),

  listNotifications: ({ berth }) => berth.account.notifications.page({ unread: true, per_page: 2 }),
  readNotification: ({ berth, notificationId }) => berth.account.notifications.read(notificationId),
  readAllNotifications: ({ berth }) => berth.account.notifications.readAll(),
  getNotificationSettings: ({ berth }) => berth.account.notifications.settings(),
  updateNotificationSettings: ({ berth }) =>
    berth.account.notifications.updateSettings({ kinds: { TerminalReady: false } }),

  listAllTerminals: ({ berth }) => berth.operator.terminals.page({ status: ['ACTIVE'], per_page: 2 }),
  explainAnyTerminal: ({ berth, terminalId }) => berth.operator.terminals.why(terminalId),
  cancelAnyTask: ({ berth, taskId }) => berth.operator.cancelTask(taskId),
  requestBackup: ({ berth }) => berth.operator.runBackup(),
  moveTerminal: ({ berth, terminalId }) => berth.terminals.move(terminalId, { region: 1 }),
  deleteTerminal: ({ berth, terminalId }) => berth.terminals.delete(terminalId),
  deleteFile: ({ berth, fileId }) => berth.files.delete(fileId),
  deleteProject: ({ berth, projectId }) => berth.projects.delete(projectId),

  listHosts: ({ berth }) => berth.operator.hosts.page({ include: 'details', per_page: 2 }),
  updateHost: ({ berth, hostId }) => berth.operator.hosts.update(hostId, { name: 'attic-1', capacity: 8 }),
  drainHost: ({ berth, hostId }) => berth.operator.hosts.drain(hostId, { terminals: 'stop', deadline_minutes: 30 }),
  endDrain: ({ berth, hostId }) => berth.operator.hosts.endDrain(hostId, { uncordon: true }),
  createJoinToken: ({ berth }) => berth.operator.joinTokens.create({ region: 1, name: 'attic', capacity: 10 }),
  listJoinTokens: ({ berth }) => berth.operator.joinTokens.page({ per_page: 2 }),
  revokeJoinToken: ({ berth, joinTokenId }) => berth.operator.joinTokens.revoke(joinTokenId),
  retireHost: ({ berth, hostId }) => berth.operator.hosts.retire(hostId),
  createUser: ({ berth }) =>
    berth.operator.users.create({ name: 'Grace Hopper', email: 'grace@example.com', limits: { terminals: 5 } }),
  setPassword: ({ berth, code }) => berth.auth.setPassword(code, 'battery staple'),
  listUsers: ({ berth }) => berth.operator.users.page({ search: 'grace', per_page: 2 }),
  readUser: ({ berth, userId }) => berth.operator.users.get(userId),
  createPasswordLink: ({ berth, userId }) => berth.operator.users.createPasswordLink(userId),
  signOutUser: ({ berth, userId }) => berth.operator.users.signOut(userId),
  updateUser: ({ berth, userId }) =>
    berth.operator.users.update(userId, {
      status: 'suspended',
      suspension: { reason: 'Unpaid since May', terminals: 'trading_off' },
    }),
  createInvitation: ({ berth }) => berth.operator.invitations.create({ plan: 0, limits: { terminals: 2 } }),
  listInvitations: ({ berth }) => berth.operator.invitations.list().toArray(),
  acceptInvitation: ({ berth, code }) =>
    berth.auth.acceptInvitation({ code, name: 'Mary Ward', email: 'mary@example.com', password: 'correct horse' }),
  deleteInvitation: ({ berth, invitationId }) => berth.operator.invitations.delete(invitationId),
  closeUser: ({ berth, userId }) => berth.operator.users.close(userId, { reason: 'Left in June' }),
  reopenUser: ({ berth, userId }) => berth.operator.users.reopen(userId),

  listOperatorRegions: ({ berth }) => berth.operator.regions.list(),
  createRegion: ({ berth }) => berth.operator.regions.create({ name: 'Tokyo', flag: 'jp' }),
  updateRegion: ({ berth }) => berth.operator.regions.update(3, { accepts_terminals: false }),

  listOwnAuditLog: ({ berth }) => berth.auditLog.page({ action: 'project.update', per_page: 2 }),
  listAuditLog: ({ berth }) => berth.operator.auditLog.page({ action: 'user.update', per_page: 2 }),

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
