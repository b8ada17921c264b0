import { expect, it } from 'vitest';
import { routes } from './contract-routes.ts';

/** A route without an ability says here why it needs none. */
const withoutAbility: Record<string, string> = {
  'authRoutes.register': 'it is called without a token',
  'authRoutes.login': 'it is called without a token',
  'authRoutes.useSignInLink': 'it is called without a token',
  'authRoutes.setPassword': 'it is called without a token',
  'authRoutes.acceptInvitation': 'it is called without a token',
  'authRoutes.forgotPassword': 'it is called without a token',
  'authRoutes.resetPassword': 'it is called without a token',
  'authRoutes.getSignInOptions': 'it is asked by who is not signed in',
  'authRoutes.logout': 'every token may give itself up',
};

/** Changes that are completely specified by their path. */
const withoutBody = [
  'authRoutes.logout',
  'accountRoutes.readNotification',
  'accountRoutes.readAllNotifications',
  'taskRoutes.cancelTask',
  'tradingStopRoutes.startTradingStop',
  'bulkRunRoutes.cancelBulkRun',
  'terminalRoutes.takeScreenshot',
  'snapshotRoutes.takeSnapshot',
  'webhookRoutes.rotateWebhookSecret',
  'webhookRoutes.testWebhook',
  'webhookRoutes.resendDelivery',
  'alertRoutes.testAlertChannel',
  'alertRoutes.acknowledgeAlert',
  'userRoutes.createPasswordLink',
  'userRoutes.signOutUser',
  'userRoutes.reopenUser',
  'overviewRoutes.requestBackup',
  'overviewRoutes.cancelAnyTask',
];

/** POSTs of users that honour no Idempotency-Key, and why. */
const withoutKey: Record<string, string> = {
  'authRoutes.logout': 'a repetition finds the token gone',
  'accountRoutes.readNotification': 'a repetition changes nothing',
  'accountRoutes.readAllNotifications': 'a repetition changes nothing',
  'accountRoutes.createToken': 'its secret must not be kept',
  'accountRoutes.confirmSession': 'a repetition confirms it anew',
  'accountRoutes.changePassword': 'a repetition finds the token gone',
  'taskRoutes.cancelTask': 'a repetition changes nothing',
  'terminalRoutes.tagTerminals': 'a repetition changes nothing',
  'terminalRoutes.unlockTerminal': 'a repetition changes nothing',
  'bulkRunRoutes.cancelBulkRun': 'a repetition changes nothing',
  'riskRoutes.tryRiskRule': 'it only reads',
  'hostRoutes.createJoinToken': 'its secret must not be kept',
  'hostRoutes.drainHost': 'a repetition sets the same drain again',
  'invitationRoutes.createInvitation': 'the link must not be kept',
  'userRoutes.createUser': 'the link must not be kept, and a repetition finds the address taken',
  'userRoutes.createPasswordLink': 'the link must not be kept',
  'userRoutes.signOutUser': 'a repetition changes nothing',
  'userRoutes.reopenUser': 'a repetition finds the account open',
  'overviewRoutes.requestBackup': 'a repetition finds one under way',
  'overviewRoutes.cancelAnyTask': 'a repetition changes nothing',
  'regionRoutes.createRegion': 'a repetition finds the name taken',
  'webhookRoutes.createWebhook': 'its secret must not be kept',
  'webhookRoutes.rotateWebhookSecret': 'its secret must not be kept',
  'webhookRoutes.testWebhook': 'a repetition sends one more test',
  'webhookRoutes.resendDelivery': 'a repetition sends it under the same id',
  'webhookRoutes.resendFailed': 'a repetition sends them under the same ids',
  'alertRoutes.testAlertChannel': 'a repetition sends one more test',
  'alertRoutes.acknowledgeAlert': 'a repetition changes nothing',
};

/** Changes by people that the audit log has no row of, and why. */
const withoutAudit: Record<string, string> = {
  'accountRoutes.readNotification': 'it says only what its user has seen',
  'accountRoutes.readAllNotifications': 'it says only what its user has seen',
  'terminalRoutes.takeScreenshot': 'it changes nothing on the terminal',
  'taskRoutes.cancelTask': 'ordinary tasks have no row; what is canceled is in the history of the task',
  'bulkRunRoutes.deleteBulkRun': 'it dismisses what is over',
  'riskRoutes.tryRiskRule': 'it only reads',
  'webhookRoutes.testWebhook': 'it changes nothing; the delivery is kept',
  'webhookRoutes.resendDelivery': 'it changes nothing; the delivery is kept',
  'webhookRoutes.resendFailed': 'it changes nothing; the deliveries are kept',
  'alertRoutes.testAlertChannel': 'it changes nothing',
  'alertRoutes.acknowledgeAlert': 'the alert itself says when',
  'viewRoutes.saveView': 'it changes nothing but what its user is shown',
  'viewRoutes.deleteView': 'it changes nothing but what its user is shown',
};

const expectedAbilities = { GET: 'read', POST: 'write', PUT: 'write', PATCH: 'write', DELETE: 'delete' } as const;

it('every route of the contract states what it answers', () => {
  expect(routes.filter(({ route }) => !route.response).map(({ name }) => name)).toEqual([]);
});

it('every route of the contract states what it takes: a body for every POST, PUT and PATCH, except where the path says all', () => {
  const bare = routes.filter(({ route }) => /POST|PUT|PATCH/.test(route.method) && !route.body && !route.isRawBody);
  expect(bare.map(({ name }) => name).sort()).toEqual([...withoutBody].sort());
});

it('every route of the contract names the ability that its method stands for, or is listed with the reason why it needs none', () => {
  const people = routes.filter(({ route }) => route.auth !== 'host' && route.tag !== 'Agent protocol');
  const bare = people.filter(({ route }) => !route.ability).map(({ name }) => name);
  expect(bare.sort()).toEqual(Object.keys(withoutAbility).sort());
  const odd = people.filter(({ route }) => route.ability && route.ability !== expectedAbilities[route.method]);
  // What a lock holds back is released by a right of its own.
  expect(odd.map(({ name }) => name)).toEqual(['terminalRoutes.unlockTerminal']);
});

it('every change by a person says what the audit log has of it, or is listed with the reason why there is nothing', () => {
  const changes = routes.filter(({ route }) => route.method !== 'GET' && route.auth !== 'host');
  const people = changes.filter(({ route }) => route.tag !== 'Agent protocol');
  const wrong = people.filter(({ route: { audit } }) => audit !== null && !/^[a-z_]+\.[a-z_]+$/.test(audit ?? ''));
  expect(wrong.map(({ name }) => name)).toEqual([]);
  const bare = people.filter(({ route }) => route.audit === null).map(({ name }) => name);
  expect(bare.sort()).toEqual(Object.keys(withoutAudit).sort());
  expect(routes.filter(({ route }) => route.method === 'GET' && route.audit !== undefined)).toEqual([]);
});

it('honours an Idempotency-Key when it creates, or is listed with the reason why not', () => {
  const posts = routes.filter(({ route }) => route.method === 'POST' && /user|operator/.test(route.auth));
  const bare = posts.filter(({ route }) => !route.isIdempotent).map(({ name }) => name);
  expect(bare.sort()).toEqual(Object.keys(withoutKey).sort());
  expect(routes.filter(({ route }) => route.isIdempotent && route.method !== 'POST')).toEqual([]);
});

it('every route of the contract has an address of its own, below a version', () => {
  const addresses = routes.map(({ route }) => `${route.method} ${route.url}`);
  expect(new Set(addresses).size).toBe(addresses.length);
  expect(addresses.filter((address) => !address.includes(' /v1/'))).toEqual([]);
});
