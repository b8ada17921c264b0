/** What an example finds: a client, and the ids of what it is about. */
import type { Berth } from '@berth/client';

export interface World {
  berth: Berth;
  /** A program to upload, which lies in the folder as `Trend.ex5`. */
  program: Uint8Array<ArrayBuffer>;
  terminalId: string;
  taskId: string;
  runId: string;
  fileId: string;
  projectId: string;
  notificationId: string;
  hostId: string;
  joinTokenId: string;
  userId: string;
  snapshotId: string;
  scheduleId: string;
  riskRuleId: string;
  breachId: string;
  webhookId: string;
  deliveryId: string;
  alertChannelId: string;
  alertRuleId: string;
  alertId: string;
  tokenId: number;
  invitationId: string;
  sessionId: number;
  /** A one-time code: of a link, or of a mail. */
  code: string;
}

/** Their placeholders in a command. */
const VARIABLES = {
  // Before the ids: the id of an invitation is a part of its code.
  code: 'CODE',
  terminalId: 'TERMINAL',
  taskId: 'TASK',
  runId: 'RUN',
  fileId: 'FILE',
  projectId: 'PROJECT',
  notificationId: 'NOTIFICATION',
  hostId: 'HOST',
  joinTokenId: 'JOIN_TOKEN',
  userId: 'USER',
  snapshotId: 'SNAPSHOT',
  scheduleId: 'SCHEDULE',
  riskRuleId: 'RISK_RULE',
  breachId: 'BREACH',
  webhookId: 'WEBHOOK',
  deliveryId: 'DELIVERY',
  alertChannelId: 'CHANNEL',
  alertRuleId: 'RULE',
  alertId: 'ALERT',
  tokenId: 'TOKEN_ID',
  invitationId: 'INVITATION',
  sessionId: 'SESSION_ID',
} as const satisfies Partial<Record<keyof World, string>>;

/** Name of a variable of the shell → its value. */
export const toVariables = (world: World): Record<string, string> =>
  Object.fromEntries(
    Object.entries(VARIABLES).flatMap(([field, name]) => {
      const value = String(world[field as keyof typeof VARIABLES]);
      return value === '' || value === '0' ? [] : [[name, value]];
    }),
  );
