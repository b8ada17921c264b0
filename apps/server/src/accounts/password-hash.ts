import { hash, verify } from '@node-rs/argon2';

/** argon2id with 19 MiB, two passes, one lane: OWASP's first choice of 2024. Computed on libuv's threads. */
const OPTIONS = { algorithm: 2, memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 } as const;

/** The hash of a forgotten random text, at the same cost: what the password of an unknown address is verified against. */
const DUMMY_HASH = '$argon2id$v=19$m=19456,t=2,p=1$3g+P5mCUnv8jA/KeETHC3g$cQD0TKey/VPrbgVXH4JEbINxrnBnZi9pOid+F96pt2k';

/** Keyboards and systems encode the same letters differently: `é` is one character, or two (NIST SP 800-63B). */
export const normalise = (password: string): string => password.normalize('NFKC');

/** The PHC string that is stored instead of the password. */
export const toPasswordHash = (password: string): Promise<string> => hash(normalise(password), OPTIONS);

const isMatch = async (password: string, passwordHash: string | undefined): Promise<boolean> => {
  const isVerified = await verify(passwordHash ?? DUMMY_HASH, password);
  return isVerified && passwordHash !== undefined;
};

/**
 * Takes as long without a hash (an unknown user) as with a wrong password, and returns false then. Also true for a
 * password that was hashed as it was typed, without normalisation, as earlier versions did.
 */
export const isPasswordOf = async (password: string, passwordHash: string | undefined): Promise<boolean> => {
  const normalised = normalise(password);
  return (
    (await isMatch(normalised, passwordHash)) || (password !== normalised && (await isMatch(password, passwordHash)))
  );
};
