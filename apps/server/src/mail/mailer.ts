import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@berth/kit';
import type { MailConfig } from '../config.ts';

export interface Mail {
  to: string;
  subject: string;
  /** Plain text. May hold a secret: it is never logged. */
  text: string;
  /** Stands in the header `Message-ID`, so that programs see when a mail comes a second time; unset: it gets one. */
  id?: string;
  /** Attached. */
  image?: { name: string; png: Buffer };
}

/** The fields of nodemailer. */
const toFields = ({ id, image, ...mail }: Mail) => ({
  ...mail,
  ...(id === undefined ? {} : { messageId: `<${id}@berth>` }),
  ...(image ? { attachments: [{ filename: image.name, content: image.png, contentType: 'image/png' }] } : {}),
});

export interface Mailer {
  /** Resolves when the SMTP server has accepted the mail, or its file is written. */
  send(mail: Mail): Promise<void>;
}

/** Where mails are written while there is no server for them. */
export const toMailFolder = ({ dataDir }: { dataDir: string }): string => join(dataDir, 'mail');

/** A tenth of this program's code, loaded with the first mail. */
const loadNodemailer = () => import('nodemailer');

/** How long an SMTP server may take for any step. */
const SMTP_TIMEOUT_MS = 15_000;

/** Nodemailer's codes: no server was found or answered, the login was refused, an address was refused. */
const toAdvice = (code: string | undefined): string => {
  if (code === 'EAUTH') return 'Check user and password in BERTH_SMTP_URL.';
  if (code === 'EENVELOPE') return 'Check BERTH_MAIL_FROM: the SMTP server may take its own addresses only.';
  return 'Check host, port and smtp:// or smtps:// in BERTH_SMTP_URL, and that this machine may connect there.';
};

/** Nodemailer's messages contain addresses and answers of the SMTP server, never the password. */
const toSendError = (error: unknown): Error => {
  const { code, message } = error as NodeJS.ErrnoException;
  return new Error(`the SMTP server did not take the mail (${message}). ${toAdvice(code)}`, { cause: error });
};

const createSmtpMailer = ({ from }: MailConfig, smtpUrl: string): Mailer => {
  const timeouts = {
    connectionTimeout: SMTP_TIMEOUT_MS,
    greetingTimeout: SMTP_TIMEOUT_MS,
    socketTimeout: SMTP_TIMEOUT_MS,
  };
  const open = async () => {
    const { createTransport } = await loadNodemailer();
    return createTransport({ url: smtpUrl, ...timeouts, disableFileAccess: true, disableUrlAccess: true });
  };
  let opening: ReturnType<typeof open> | undefined;
  return {
    send: async (mail) => {
      const transport = await (opening ??= open());
      try {
        await transport.sendMail({ from, ...toFields(mail) });
      } catch (error) {
        throw toSendError(error);
      }
    },
  };
};

/** Writes each mail into a folder that only the server's account can read, and logs the file name. */
const createFolderMailer = ({ from }: MailConfig, folder: string, log: Logger): Mailer => {
  return {
    send: async (mail) => {
      const { createTransport } = await loadNodemailer();
      const transport = createTransport({
        streamTransport: true,
        buffer: true,
        newline: 'unix',
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      const { message } = await transport.sendMail({ from, ...toFields(mail) });
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
