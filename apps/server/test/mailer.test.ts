import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { createLogger } from '@berth/kit';
import { afterEach, expect, test } from 'vitest';
import { createMailer } from '../src/mail/mailer.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const MAIL = { to: 'ada@example.com', subject: 'A code for Ada', text: 'The code is SECRET-CODE.\n' };
const FROM = 'Berth <berth@example.com>';

const createFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-mail-'));
  closers.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

const createMemoryLog = () => {
  let text = '';
  const destination = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString();
      done();
    },
  });
  return { log: createLogger({ name: 'test', destination }), read: () => text };
};

/** Speaks just enough SMTP to take one mail per connection. */
const startSmtpServer = async (): Promise<{ port: number; received: string[] }> => {
  const received: string[] = [];
  const server: Server = createServer((socket) => {
    let data: string | undefined;
    socket.write('220 test ESMTP\r\n');
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      if (data !== undefined) {
        data += chunk;
        if (!data.endsWith('\r\n.\r\n')) return;
        received.push(data);
        data = undefined;
        return void socket.write('250 taken\r\n');
      }
      if (chunk.startsWith('DATA')) {
        data = '';
        return void socket.write('354 go on\r\n');
      }
      return void socket.write(chunk.startsWith('QUIT') ? '221 bye\r\n' : '250 ok\r\n');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => new Promise((resolve) => server.close(resolve)));
  return { port: (server.address() as { port: number }).port, received };
};

test('without an SMTP server a mail becomes a file; the log names it and never its text', async () => {
  const folder = join(await createFolder(), 'mail');
  const { log, read } = createMemoryLog();
  await createMailer({ smtpUrl: undefined, from: FROM }, folder, log).send(MAIL);
  const [name] = await readdir(folder);
  const mail = await readFile(join(folder, name!), 'utf8');
  expect(mail).toContain('From: Berth <berth@example.com>');
  expect(mail).toContain('To: ada@example.com');
  expect(mail).toContain('The code is SECRET-CODE.');
  expect(read()).toContain(join(folder, name!));
  expect(read()).not.toContain('SECRET-CODE');
});

test('a mail goes to the SMTP server, and no file is written', async () => {
  const { port, received } = await startSmtpServer();
  const folder = join(await createFolder(), 'mail');
  const { log } = createMemoryLog();
  await createMailer({ smtpUrl: `smtp://127.0.0.1:${port}`, from: FROM }, folder, log).send(MAIL);
  expect(received).toHaveLength(1);
  expect(received[0]).toContain('Subject: A code for Ada');
  expect(received[0]).toContain('The code is SECRET-CODE.');
  await expect(readdir(folder)).rejects.toThrow('ENOENT');
});

test('an SMTP server that is away is an error of the mail, which names the setting and no password', async () => {
  const { port } = await startSmtpServer();
  for (const close of closers.splice(0)) await close();
  const mailer = createMailer(
    { smtpUrl: `smtp://user:hidden@127.0.0.1:${port}`, from: FROM },
    '/',
    createMemoryLog().log,
  );
  const error: unknown = await mailer.send(MAIL).catch((cause: unknown) => cause);
  expect(String(error)).toMatch(/ECONNREFUSED.*Check host, port .* in BERTH_SMTP_URL/);
  expect(JSON.stringify(error) + String(error)).not.toContain('hidden');
});
