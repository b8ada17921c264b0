import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@berth/kit';
import { createTransport } from 'nodemailer';
import type { MailConfig } from '../config.ts';

export interface Mail {
  to: string;
  subject: string;
  /** Plain text. May hold a secret: it is never logged. */
  text: string;
}

export interface Mailer {
  /** Resolves when the SMTP server has taken the mail, or its file is written. */
  send(mail: Mail): Promise<void>;
}

/** How long an SMTP server may leave us waiting, at any step. */
const SMTP_TIMEOUT_MS = 15_000;

const createSmtpMailer = ({ from }: MailConfig, smtpUrl: string): Mailer => {
  const timeouts = {
    connectionTimeout: SMTP_TIMEOUT_MS,
    greetingTimeout: SMTP_TIMEOUT_MS,
    socketTimeout: SMTP_TIMEOUT_MS,
  };
  const transport = createTransport({ url: smtpUrl, ...timeouts, disableFileAccess: true, disableUrlAccess: true });
  return {
    send: async (mail) => {
      await transport.sendMail({ from, ...mail });
    },
  };
};

/** Writes each mail into a folder that only the server's account can read, and names the file in the log. */
const createFolderMailer = ({ from }: MailConfig, folder: string, log: Logger): Mailer => {
  const transport = createTransport({
    streamTransport: true,
    buffer: true,
    newline: 'unix',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    send: async (mail) => {
      const { message } = await transport.sendMail({ from, ...mail });
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, `${new Date().toISOString().replaceAll(':', '-')}-${randomUUID()}.eml`);
      await writeFile(path, message, { mode: 0o600, flag: 'wx' });
      log.info({ path }, 'no SMTP server is configured: a mail was written to a file');
    },
  };
};

/** Sends mail over SMTP where that is configured, otherwise into the folder. */
export const createMailer = (config: MailConfig, folder: string, log: Logger): Mailer =>
  config.smtpUrl === undefined ? createFolderMailer(config, folder, log) : createSmtpMailer(config, config.smtpUrl);
