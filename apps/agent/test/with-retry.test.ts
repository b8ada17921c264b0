import { createLogger, systemTiming } from '@berth/kit';
import { expect, test } from 'vitest';
import { withRetry } from '../src/attempts/with-retry.ts';
import { FileRefusedError, type TaskFiles } from '../src/platforms/driver.ts';
import { ServerError, toServerError } from '../src/server/server-error.ts';

const log = createLogger({ name: 'test', level: 'silent' });

const open = (error: Error, signal = new AbortController().signal) => {
  const refuse = async () => {
    throw error;
  };
  const refusing: TaskFiles = { download: refuse, upload: refuse };
  const revoked: string[] = [];
  const files = withRetry(refusing, { signal, timing: systemTiming, log }, () => revoked.push('revoked'));
  return { files, revoked };
};

test('a refusal of the server reaches the driver by its code, and by nothing else of the protocol', async () => {
  const { files, revoked } = open(toServerError('upload', 413, 'storage_quota', 'Your storage is full.'));
  const refusal = { name: 'FileRefusedError', code: 'storage_quota' };
  await expect(files.upload('screenshot.png', Buffer.alloc(1))).rejects.toMatchObject(refusal);
  await expect(files.download('file')).rejects.toBeInstanceOf(FileRefusedError);
  expect(revoked).toEqual([]);
});

test('an upload for an attempt that the server does not know revokes the attempt', async () => {
  const { files, revoked } = open(toServerError('upload', 404, 'not_found', 'Not found.'));
  await expect(files.upload('screenshot.png', Buffer.alloc(1))).rejects.toMatchObject({ code: 'not_found' });
  expect(revoked).toEqual(['revoked']);
});

test('a server that is away is no refusal: the attempt ends first', async () => {
  const ending = new AbortController();
  const { files } = open(new ServerError('unreachable', 'No connection.'), ending.signal);
  const upload = files.upload('screenshot.png', Buffer.alloc(1));
  ending.abort();
  await expect(upload).rejects.toMatchObject({ name: 'ServerError', kind: 'unreachable' });
});
