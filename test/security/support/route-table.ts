/**
 * Who may call which route, written down a second time, by hand: a route that is added or opened by mistake does not agree
 * with this table. The contract is not read here.
 */
import { TaskType } from '@berth/contract';
import { farAhead } from '@berth/testing';
import type { FastifyInstance } from 'fastify';
import type { World } from './world.ts';

export interface RouteRule {
  /** `anybody`, any `token`, a token with an ability, an operator's token with an ability, or a `host`'s credential. */
  needs:
    | 'anybody'
    | 'token'
    | 'read'
    | 'write'
    | 'delete'
    | 'risk'
    | 'operator:read'
    | 'operator:write'
    | 'operator:delete'
    | 'host';
  /** Of operators: the role, where it is not a viewer's for a GET, and an operator's for the rest. */
  role?: 'viewer' | 'operator' | 'owner';
  /** What a 404 calls the addressed object, where the path names one. */
  resource?: string;
  /** Appended to the path: a query that is right. */
  query?: string;
  /** A body that is right. */
  body?: object;
  /** What it answers who may call it, where there is nothing to do. */
  conflict?: 409;
}

export const routeTable: Record<string, RouteRule> = {
  'POST /v1/auth/register': { needs: 'anybody' },
  'POST /v1/auth/login': { needs: 'anybody' },
  'POST /v1/auth/sign-in-link': { needs: 'anybody' },
  'POST /v1/auth/set-password': { needs: 'anybody' },
  'POST /v1/auth/accept-invitation': { needs: 'anybody' },
  'GET /v1/auth/session': { needs: 'read' },
  'GET /v1/auth/options': { needs: 'anybody' },
  'POST /v1/auth/logout': { needs: 'token' },
  'POST /v1/auth/forgot-password': { needs: 'anybody' },
  'POST /v1/auth/reset-password': { needs: 'anybody' },
  'GET /v1/my/account/profile': { needs: 'read' },
  'PATCH /v1/my/account/profile': { needs: 'write' },
  'GET /v1/my/account/notifications': { needs: 'read' },
  'GET /v1/my/account/notification-settings': { needs: 'read' },
  'PATCH /v1/my/account/notification-settings': { needs: 'write' },
  'POST /v1/my/account/notifications/:notification_id/read': { needs: 'write', resource: 'Notification' },
  'POST /v1/my/account/notifications/read-all': { needs: 'write' },
  'GET /v1/my/account/offers': { needs: 'read' },
  'GET /v1/my/account/usage': { needs: 'read' },
  'GET /v1/my/account/tokens': { needs: 'read' },
  'POST /v1/my/account/tokens': { needs: 'write' },
  'DELETE /v1/my/account/tokens/:token_id': { needs: 'delete', resource: 'Token' },
  'GET /v1/my/account/sessions': { needs: 'read' },
  'POST /v1/my/account/sessions/confirm': { needs: 'write' },
  'DELETE /v1/my/account/sessions': { needs: 'delete' },
  'DELETE /v1/my/account/sessions/:session_id': { needs: 'delete', resource: 'Session' },
  'POST /v1/my/account/security/change-password': { needs: 'write' },
  'GET /v1/my/audit-log': { needs: 'read' },
  'GET /v1/operator/audit-log': { needs: 'operator:read' },
  'GET /v1/my/projects': { needs: 'read' },
  'POST /v1/my/projects': { needs: 'write' },
  'DELETE /v1/my/projects/:project_id': { needs: 'delete', resource: 'Project' },
  'PATCH /v1/my/projects/:project_id': { needs: 'write', resource: 'Project' },
  'GET /v1/my/views': { needs: 'read' },
  'PUT /v1/my/views/:view_name': { needs: 'write', body: { page: 'terminals' } },
  'DELETE /v1/my/views/:view_name': { needs: 'delete', resource: 'View' },
  'GET /v1/my/trading/terminals/regions': { needs: 'read' },
  'GET /v1/my/trading/terminals/counts': { needs: 'read' },
  'GET /v1/my/trading/terminals/overview': { needs: 'read', query: '?ids=none' },
  'GET /v1/my/trading/terminals': { needs: 'read' },
  'POST /v1/my/trading/terminals': { needs: 'write' },
  'GET /v1/my/trading/terminals/:terminal_id': { needs: 'read', resource: 'Terminal' },
  'PATCH /v1/my/trading/terminals/:terminal_id': { needs: 'write', resource: 'Terminal' },
  'GET /v1/my/trading/terminals/:terminal_id/screenshot': { needs: 'read', resource: 'Terminal' },
  'POST /v1/my/trading/terminals/:terminal_id/screenshot': { needs: 'write', resource: 'Terminal' },
  'POST /v1/my/trading/terminals/:terminal_id/unlock': {
    needs: 'risk',
    resource: 'Terminal',
    body: { reason: 'Reviewed' },
  },
  'POST /v1/my/trading/terminals/:terminal_id/move': { needs: 'write', resource: 'Terminal', body: { region: 0 } },
  'DELETE /v1/my/trading/terminals/:terminal_id': { needs: 'delete', resource: 'Terminal' },
  'GET /v1/my/trading/terminals/:terminal_id/why': { needs: 'read', resource: 'Terminal' },
  'GET /v1/my/trading/terminals/:terminal_id/charts': { needs: 'read', resource: 'Terminal' },
  'GET /v1/my/trading/terminals/:terminal_id/snapshots': { needs: 'read', resource: 'Terminal' },
  'POST /v1/my/trading/terminals/:terminal_id/snapshots': { needs: 'write', resource: 'Terminal' },
  'DELETE /v1/my/trading/terminals/:terminal_id/snapshots/:snapshot_id': { needs: 'delete', resource: 'Terminal' },
  'GET /v1/my/trading/terminals/:terminal_id/samples': { needs: 'read', resource: 'Terminal' },
  'GET /v1/my/trading/terminals/:terminal_id/account': { needs: 'read', resource: 'Terminal' },
  'PATCH /v1/my/trading/terminals/:terminal_id/account': { needs: 'write', resource: 'Terminal' },
  'GET /v1/my/trading/terminals/:terminal_id/account/history': { needs: 'read', resource: 'Terminal' },
  'GET /v1/my/trading/terminals/:terminal_id/deals': { needs: 'read', resource: 'Terminal' },
  'GET /v1/my/trading/accounts/overview': { needs: 'read' },
  'GET /v1/my/deals': { needs: 'read' },
  'GET /v1/my/trading/terminals/:terminal_id/tasks': { needs: 'read', resource: 'Terminal' },
  'POST /v1/my/trading/terminals/:terminal_id/tasks': {
    needs: 'write',
    resource: 'Terminal',
    body: { type: TaskType.MARKET_WATCH_SHOW_ALL, planned_at: farAhead },
  },
  'GET /v1/my/trading/terminals/:terminal_id/tasks/:task_id': { needs: 'read', resource: 'Terminal' },
  'GET /v1/my/trading/terminals/:terminal_id/tasks/:task_id/history': { needs: 'read', resource: 'Terminal' },
  'POST /v1/my/trading/terminals/bulk': { needs: 'write', body: { items: [{}], dry_run: true } },
  'POST /v1/my/trading/terminals/bulk/tags': {
    needs: 'write',
    body: { terminal_ids: ['01a20354-51d3-77eb-8d67-f4d9e4728839'], add: ['eu'] },
  },
  'POST /v1/my/trading/terminals/bulk/tasks': {
    needs: 'write',
    body: { filter: {}, type: TaskType.MARKET_WATCH_SHOW_ALL },
  },
  'GET /v1/my/trading/bulk-runs': { needs: 'read' },
  'POST /v1/my/trading/bulk-runs': {
    needs: 'write',
    body: { filter: {}, type: TaskType.MARKET_WATCH_SHOW_ALL, planned_at: farAhead },
  },
  'GET /v1/my/trading/bulk-runs/:run_id': { needs: 'read', resource: 'Run' },
  'GET /v1/my/trading/bulk-runs/:run_id/items': { needs: 'read', resource: 'Run' },
  'POST /v1/my/trading/bulk-runs/:run_id/cancel': { needs: 'write', resource: 'Run' },
  'DELETE /v1/my/trading/bulk-runs/:run_id': { needs: 'delete', resource: 'Run' },
  'GET /v1/my/trading/stop': { needs: 'read' },
  // A right one would interrupt the task that is running.
  'POST /v1/my/trading/stop': { needs: 'write', body: { nothing: 1 } },
  'POST /v1/my/trading/stop/end': { needs: 'write', body: { restore: false } },
  'POST /v1/my/trading/terminals/:terminal_id/tasks/:task_id/cancel': { needs: 'write', resource: 'Terminal' },
  'GET /v1/my/events': { needs: 'read' },
  'GET /v1/my/events/log': { needs: 'read' },
  'GET /v1/my/schedules': { needs: 'read' },
  'POST /v1/my/schedules': {
    needs: 'write',
    body: { name: 'S', all: true, type: TaskType.MARKET_WATCH_SHOW_ALL, cron: '0 0 1 1 *', time_zone: 'UTC' },
  },
  'GET /v1/my/schedules/:schedule_id': { needs: 'read', resource: 'Schedule' },
  'PATCH /v1/my/schedules/:schedule_id': { needs: 'write', resource: 'Schedule' },
  'DELETE /v1/my/schedules/:schedule_id': { needs: 'delete', resource: 'Schedule' },
  'GET /v1/my/alert-channels': { needs: 'read' },
  'POST /v1/my/alert-channels': { needs: 'write' },
  'GET /v1/my/alert-channels/:alert_channel_id': { needs: 'read', resource: 'Alert channel' },
  'PATCH /v1/my/alert-channels/:alert_channel_id': { needs: 'write', resource: 'Alert channel' },
  'DELETE /v1/my/alert-channels/:alert_channel_id': { needs: 'delete', resource: 'Alert channel' },
  'POST /v1/my/alert-channels/:alert_channel_id/test': { needs: 'write', resource: 'Alert channel' },
  'GET /v1/my/alert-rules': { needs: 'read' },
  'POST /v1/my/alert-rules': { needs: 'write' },
  'GET /v1/my/alert-rules/:alert_rule_id': { needs: 'read', resource: 'Alert rule' },
  'PATCH /v1/my/alert-rules/:alert_rule_id': { needs: 'write', resource: 'Alert rule' },
  'DELETE /v1/my/alert-rules/:alert_rule_id': { needs: 'delete', resource: 'Alert rule' },
  'GET /v1/my/alerts': { needs: 'read' },
  'GET /v1/my/alerts/:alert_id': { needs: 'read', resource: 'Alert' },
  'POST /v1/my/alerts/:alert_id/acknowledge': { needs: 'write', resource: 'Alert' },
  'GET /v1/my/risk-rules': { needs: 'read' },
  'POST /v1/my/risk-rules': { needs: 'write' },
  'GET /v1/my/risk-rules/:rule_id': { needs: 'read', resource: 'Rule' },
  'PATCH /v1/my/risk-rules/:rule_id': { needs: 'write', resource: 'Rule' },
  'DELETE /v1/my/risk-rules/:rule_id': { needs: 'delete', resource: 'Rule' },
  'GET /v1/my/risk-rules/:rule_id/state': { needs: 'read', resource: 'Rule' },
  'POST /v1/my/risk-rules/try': { needs: 'write' },
  'GET /v1/my/risk-breaches': { needs: 'read' },
  'GET /v1/my/risk-breaches/:breach_id/evidence': { needs: 'read', resource: 'Breach' },
  'GET /v1/my/webhooks': { needs: 'read' },
  'POST /v1/my/webhooks': { needs: 'write' },
  'GET /v1/my/webhooks/:webhook_id': { needs: 'read', resource: 'Webhook' },
  'PATCH /v1/my/webhooks/:webhook_id': { needs: 'write', resource: 'Webhook' },
  'DELETE /v1/my/webhooks/:webhook_id': { needs: 'delete', resource: 'Webhook' },
  'POST /v1/my/webhooks/:webhook_id/rotate-secret': { needs: 'write', resource: 'Webhook' },
  'POST /v1/my/webhooks/:webhook_id/test': { needs: 'write', resource: 'Webhook' },
  'GET /v1/my/webhooks/:webhook_id/deliveries': { needs: 'read', resource: 'Webhook' },
  'POST /v1/my/webhooks/:webhook_id/resend-failed': { needs: 'write', resource: 'Webhook' },
  'POST /v1/my/webhooks/:webhook_id/deliveries/:delivery_id/resend': { needs: 'write', resource: 'Webhook' },
  'GET /v1/my/tasks': { needs: 'read' },
  'GET /v1/my/files': { needs: 'read' },
  'GET /v1/my/experts': { needs: 'read' },
  'POST /v1/my/files': { needs: 'write' },
  'GET /v1/my/files/:file_id': { needs: 'read', resource: 'File' },
  'GET /v1/my/files/:file_id/content': { needs: 'read', resource: 'File' },
  'DELETE /v1/my/files/:file_id': { needs: 'delete', resource: 'File' },
  'GET /v1/operator/overview': { needs: 'operator:read' },
  'GET /v1/operator/hosts': { needs: 'operator:read' },
  'GET /v1/operator/hosts/:host_id/terminals': { needs: 'operator:read' },
  'GET /v1/operator/hosts/:host_id/samples': { needs: 'operator:read' },
  'PATCH /v1/operator/hosts/:host_id': { needs: 'operator:write' },
  'POST /v1/operator/hosts/:host_id/drain': { needs: 'operator:write' },
  'DELETE /v1/operator/hosts/:host_id/drain': { needs: 'operator:delete' },
  'GET /v1/operator/join-tokens': { needs: 'operator:read' },
  'POST /v1/operator/join-tokens': { needs: 'operator:write' },
  'DELETE /v1/operator/join-tokens/:join_token_id': { needs: 'operator:delete' },
  'DELETE /v1/operator/hosts/:host_id': { needs: 'operator:delete' },
  'GET /v1/operator/terminals': { needs: 'operator:read' },
  'GET /v1/operator/terminals/:terminal_id/why': { needs: 'operator:read' },
  'GET /v1/operator/invitations': { needs: 'operator:read' },
  'POST /v1/operator/invitations': { needs: 'operator:write' },
  'DELETE /v1/operator/invitations/:invitation_id': { needs: 'operator:delete' },
  'GET /v1/operator/users': { needs: 'operator:read' },
  'POST /v1/operator/users': { needs: 'operator:write' },
  'GET /v1/operator/users/:user_id': { needs: 'operator:read' },
  'PATCH /v1/operator/users/:user_id': { needs: 'operator:write' },
  'POST /v1/operator/users/:user_id/password-link': { needs: 'operator:write' },
  'POST /v1/operator/users/:user_id/sign-out': { needs: 'operator:write' },
  'DELETE /v1/operator/users/:user_id': { needs: 'operator:delete', role: 'owner', body: { reason: 'Left' } },
  'POST /v1/operator/users/:user_id/reopen': { needs: 'operator:write', role: 'owner' },
  'GET /v1/operator/regions': { needs: 'operator:read' },
  'POST /v1/operator/regions': { needs: 'operator:write' },
  'PATCH /v1/operator/regions/:region_id': { needs: 'operator:write' },
  'POST /v1/operator/backups': { needs: 'operator:write', conflict: 409 },
  'POST /v1/operator/tasks/:task_id/cancel': { needs: 'operator:write' },
  'POST /v1/agent/enrol': { needs: 'anybody' },
  'POST /v1/agent/session': { needs: 'host' },
  'POST /v1/agent/heartbeat': { needs: 'host' },
  'POST /v1/agent/claim': { needs: 'host' },
  'POST /v1/agent/report': { needs: 'host' },
  'POST /v1/agent/samples': { needs: 'host' },
  'POST /v1/agent/charts': { needs: 'host' },
  'POST /v1/agent/accounts': { needs: 'host' },
  'POST /v1/agent/checks': { needs: 'host' },
  'POST /v1/agent/risk': { needs: 'host' },
  'POST /v1/agent/risk-evidence': { needs: 'host' },
  'POST /v1/agent/risk-rules': { needs: 'host' },
  'GET /v1/agent/tasks/:task_id/files/:file_id': { needs: 'host', resource: 'File' },
  'POST /v1/agent/tasks/:task_id/files': { needs: 'host', resource: 'Task', query: '?name=a.png&fence=1' },
};

/** Paths beside the API: they need no account (`/metrics` only on this machine). */
const openPaths = [
  /^\/healthz$/,
  /^\/readyz$/,
  /^\/metrics$/,
  /^\/openapi\.json$/,
  /^\/docs(\*|\/.*)?$/,
  /^\/flags\/:name$/,
  /^\/assets\/:name$/,
  /^\/install\/:name$/,
  // Their signature is all that they need.
  /^\/alert-links\//,
];

/** `GET /v1/…` of everything that the router knows, the open paths left out. */
export const listRegisteredRoutes = (app: FastifyInstance): string[] => {
  const parents: string[] = [];
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const match = /^([│ ]*)[├└]── (\S*)(?: \(([A-Z, ]+)\))?/.exec(line);
      if (!match) return [];
      const [, indent = '', part = '', methods = ''] = match;
      const depth = indent.length / 4;
      const url = (parents[depth - 1] ?? '') + part;
      parents[depth] = url;
      const named = methods.split(', ').filter((method) => method !== '' && method !== 'HEAD');
      return openPaths.some((path) => path.test(url)) ? [] : named.map((method) => `${method} ${url}`);
    });
};

type Ids = Record<string, string | number>;

export const idsOf = (world: World): Ids => ({
  terminal_id: world.terminalId,
  task_id: world.taskId,
  run_id: world.runId,
  token_id: world.tokenId,
  notification_id: world.notificationId,
  file_id: world.fileId,
  host_id: world.host.id,
  project_id: world.projectId,
  session_id: world.sessionId,
  view_name: 'One%20of%20mine',
  // The terminal is looked at first.
  snapshot_id: '00000000-0000-7000-8000-000000000000',
});

/** Fills the ids into a route's path. */
export const toPath = (route: string, ids: Ids): string => {
  const url = route.split(' ')[1] ?? '';
  return url.replace(/:(\w+)/g, (_, name: string) => String(ids[name])) + (routeTable[route]?.query ?? '');
};

export const toMethod = (route: string): string => route.split(' ')[0] ?? '';
