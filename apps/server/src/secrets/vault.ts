/**
 * Envelope encryption of secrets at rest. Every value has its own data key (AES-256-GCM), and the data key is wrapped
 * by the instance's key (AES-256-GCM again). Row and field are bound in as additional data: a sealed value that is
 * copied to another row or field cannot be opened. The key id is stored, so that keys can be rotated: the first key
 * encrypts, all of them decrypt.
 *
 * Format: `v1.<key id>.<wrapped data key>.<sealed value>`, each part `base64url(nonce | ciphertext | tag)`.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** Names the row and field that a secret belongs to: `terminals/<id>/password`. */
export type SecretPlace = `${string}/${string}/${string}`;

export class SecretError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SecretError';
  }
}

const encrypt = (key: Buffer, plain: Buffer, place: string): string => {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString('base64url');
};

const decrypt = (key: Buffer, text: string, place: string): Buffer => {
  const bytes = Buffer.from(text, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
};

const toKeyId = (key: Buffer): string =>
  createHash('sha256').update('berth key id').update(key).digest('hex').slice(0, 8);

export class Vault {
  readonly #keys: Map<string, Buffer>;
  readonly #sealing: { id: string; key: Buffer };

  /** @param keys 32 bytes each; the first one encrypts */
  constructor(keys: readonly [Buffer, ...Buffer[]]) {
    if (keys.some((key) => key.length !== KEY_BYTES)) throw new SecretError('a secret key has 32 bytes');
    this.#keys = new Map(keys.map((key) => [toKeyId(key), key]));
    this.#sealing = { id: toKeyId(keys[0]), key: keys[0] };
  }

  /** The ids of its keys, the encrypting one first. They reveal nothing about the keys. */
  get keyIds(): [string, ...string[]] {
    const { id } = this.#sealing;
    return [id, ...[...this.#keys.keys()].filter((other) => other !== id)];
  }

  seal(secret: string, place: SecretPlace): string {
    const dataKey = randomBytes(KEY_BYTES);
    const { id, key } = this.#sealing;
    return ['v1', id, encrypt(key, dataKey, place), encrypt(dataKey, Buffer.from(secret, 'utf8'), place)].join('.');
  }

  /**
   * A keyed hash: equal texts have equal fingerprints, and without the key they cannot be brute-forced. It changes with
   * the key, so keep it only for a short time.
   */
  toFingerprint(text: string): Buffer {
    return createHmac('sha256', this.#sealing.key).update('fingerprint').update(text).digest();
  }

  /** @throws SecretError when the key is missing, or the value was altered or belongs elsewhere; never shows the value */
  open(sealed: string, place: SecretPlace): string {
    const [version, keyId = '', wrapped = '', value = ''] = sealed.split('.');
    const key = this.#keys.get(keyId);
    if (version !== 'v1' || !key) throw new SecretError(`the key ${keyId} that sealed this secret is not configured`);
    try {
      return decrypt(decrypt(key, wrapped, place), value, place).toString('utf8');
    } catch (cause) {
      throw new SecretError('a sealed secret does not open: it was altered or moved', { cause });
    }
  }
}
