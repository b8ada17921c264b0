import { BackupState } from '../hosts/overview-state.ts';
import { Envelope, EnvelopeOrRefusal } from '../schema.ts';
import { CreatedTask } from '../tasks/resources.ts';
import { defineRoute } from './route.ts';

const operator = { auth: 'operator', ability: 'write', method: 'POST', isStrict: true } as const;

/** What operators do about what their overview shows. */
export const overviewRoutes = {
  requestBackup: defineRoute({
    ...operator,
    tag: 'Backups (operator)',
    audit: 'backup.run',
    url: '/v1/operator/backups',
    summary: 'Have a scheduled backup made now; the overview shows how it goes',
    errors: ['no_backups', 'backup_under_way'],
    response: Envelope(BackupState),
  }),
  cancelAnyTask: defineRoute({
    ...operator,
    tag: 'Tasks (operator)',
    audit: 'task.cancel',
    url: '/v1/operator/tasks/:task_id/cancel',
    summary: 'Cancel a task of any user that no host has yet',
    response: EnvelopeOrRefusal(CreatedTask),
  }),
};
