import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { AttemptKey } from './attempt-ledger.ts';
import type { AttemptOutcome } from './platforms/driver.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export type AttemptSecrets = NonNullable<AttemptOutcome['secrets']>;

/**
 * Keeps the secrets of an outcome (a new demo account's password) unreadable in the journal: AES-256-GCM under a key derived
 * from the host's credential, bound to the attempt. They need to survive only until the report is acknowledged.
 */
export class OutcomeSeal {
  readonly #key: Buffer;

  constructor(credential: string) {
    this.#key = Buffer.from(hkdfSync('sha256', credential, '', 'berth agent journal', 32));
  }

  seal(key: AttemptKey, secrets: AttemptSecrets): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(toBinding(key));
    const content = Buffer.concat([cipher.update(JSON.stringify(secrets), 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), content]).toString('base64');
  }

  /** @returns undefined when it was sealed for another attempt or under another credential. */
  open(key: AttemptKey, sealed: string): AttemptSecrets | undefined {
    const bytes = Buffer.from(sealed, 'base64');
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', this.#key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(toBinding(key)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    try {
      const content = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
      return JSON.parse(content.toString('utf8')) as AttemptSecrets;
    } catch {
      return undefined;
    }
  }
}

const toBinding = ({ taskId, fence }: AttemptKey): Buffer => Buffer.from(`${taskId}:${fence}`);
