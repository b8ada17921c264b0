import { randomUUID } from 'node:crypto';
import { TaskStatus, TaskType, TerminalStatus } from '@berth/contract';
import { useTestServer } from '@berth/testing';
import { expect, it } from 'vitest';
import { recordEvents, type Occurrence } from '../src/events/record.ts';
import { countNotifications } from '../src/notifications/queries.ts';

const server = useTestServer();

const listTypes = async (token: string): Promise<string[]> => {
  const { body } = await server.request('GET', '/v1/my/account/notifications', { token });
  return (body.data as { type: string }[]).map(({ type }) => type.replace('App\\Notifications\\', '')).sort();
};

const toMove = (userId: string, to: TerminalStatus, isQuiet = false): Occurrence => ({
  ...{ type: 'terminal.status_changed', userId, terminalId: randomUUID(), isQuiet },
  data: { name: 'Mine', from: TerminalStatus.CONNECTING, to, reason: null },
});
const toEnd = (userId: string, status: TaskStatus): Occurrence => ({
  ...{ type: 'task.finished', userId, terminalId: randomUUID() },
  data: { task_id: randomUUID(), type: TaskType.SCREENSHOT, status },
});

it('notifies owners of what they have to know, and of nothing that is quiet', async () => {
  const { token, user } = await server.register('Owner');
  await server.services.db.transaction(async (tx) => {
    await recordEvents(tx, [toMove(user.id, TerminalStatus.ACTIVE), toMove(user.id, TerminalStatus.FAILED, true)]);
    await recordEvents(tx, [toMove(user.id, TerminalStatus.INSTALLING), toEnd(user.id, TaskStatus.COMPLETED)]);
    await recordEvents(tx, [toEnd(user.id, TaskStatus.FAILED), toEnd(user.id, TaskStatus.TERMINATED)]);
    expect(await countNotifications(server.services.db, user.id, 'all', null)).toBe(0);
  });
  expect(await listTypes(token)).toEqual(['TaskFailed', 'TaskFailed', 'TerminalReady']);
});

it('nothing of a transaction that is rolled back is written', async () => {
  const { token, user } = await server.register('Owner');
  const failing = server.services.db.transaction(async (tx) => {
    await recordEvents(tx, [toMove(user.id, TerminalStatus.ACTIVE)]);
    throw new Error('given up');
  });
  await expect(failing).rejects.toThrow('given up');
  expect(await listTypes(token)).toEqual([]);
});

it('undoes the change where the event cannot be written', async () => {
  const { user } = await server.register('Owner');
  const { id } = (
    await server.services.db.query<{ id: string }>({ name: '', text: 'select id from projects limit 1' })
  )[0]!;
  const failing = server.services.db.transaction(async (tx) => {
    await tx.query({ name: '', text: 'update users set name = $2 where id = $1' }, [user.id, 'Somebody else']);
    await recordEvents(tx, [toMove(id, TerminalStatus.ACTIVE)]);
  });
  await expect(failing).rejects.toThrow('notifications_user_id_fkey');
  const rows = await server.services.db.query({ name: '', text: 'select name from users where id = $1' }, [user.id]);
  expect(rows).toEqual([{ name: 'Owner' }]);
});
