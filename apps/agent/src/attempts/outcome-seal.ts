import { hkdfSync } from 'node:crypto';
import { openText, sealText } from '@berth/kit';
import type { AttemptOutcome } from '../platforms/driver.ts';
import type { AttemptKey } from '../server/server-calls.ts';

export type AttemptSecrets = NonNullable<AttemptOutcome['secrets']>;

/**
 * Keeps the secrets of an outcome (a new demo account's password) unreadable in the journal: encrypted with a key
 * derived from the host's credential, and bound to the attempt. They need to survive only until the report is
 * acknowledged.
 */
export class OutcomeSeal {
  readonly #key: Buffer;

  constructor(credential: string) {
    this.#key = Buffer.from(hkdfSync('sha256', credential, '', 'berth agent journal', 32));
  }

  seal(key: AttemptKey, secrets: AttemptSecrets): string {
    return sealText(this.#key, toBinding(key), JSON.stringify(secrets));
  }

  /** @returns undefined when it was encrypted for another attempt or with another credential */
  open(key: AttemptKey, sealed: string): AttemptSecrets | undefined {
    const text = openText(this.#key, toBinding(key), sealed);
    return text === undefined ? undefined : (JSON.parse(text) as AttemptSecrets);
  }
}

const toBinding = ({ taskId, fence }: AttemptKey): string => `${taskId}:${fence}`;
