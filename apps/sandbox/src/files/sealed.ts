import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const GUID_FILE = '.machine-guid';

const getMachineGuid = (driveC: string): string => {
  const path = join(driveC, GUID_FILE);
  try {
    mkdirSync(driveC, { recursive: true });
    writeFileSync(path, randomBytes(16).toString('hex'), { mode: 0o600, flag: 'wx' });
  } catch {
    // Another terminal of the drive has already created it.
  }
  return readFileSync(path, 'utf8');
};

/**
 * Encrypts bytes so that they can only be decrypted in the same folder on the same drive, like the terminal's saved
 * passwords: the key is derived from the drive's machine id and the folder's Windows path. A clone of the whole drive
 * can still decrypt them, a copied file cannot.
 */
export class Seal {
  readonly #driveC: string;
  readonly #windowsFolder: string;
  #key: Buffer | undefined;

  constructor(driveC: string, windowsFolder: string) {
    this.#driveC = driveC;
    this.#windowsFolder = windowsFolder;
  }

  close(text: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#getKey(), nonce);
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), body]);
  }

  /** The text, or undefined when it was encrypted elsewhere or is damaged. */
  open(bytes: Buffer): string | undefined {
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
    const decipher = createDecipheriv('aes-256-gcm', this.#getKey(), bytes.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    try {
      const body = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([body, decipher.final()]).toString('utf8');
    } catch {
      return undefined;
    }
  }

  #getKey(): Buffer {
    this.#key ??= createHash('sha256')
      .update(`${getMachineGuid(this.#driveC)}\n${this.#windowsFolder}`)
      .digest();
    return this.#key;
  }
}
