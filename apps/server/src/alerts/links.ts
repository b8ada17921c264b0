/**
 * Links of messages that work without signing in. Each is signed for one thing with the key of this instance, and asks before
 * it does it: programs open the links of a mail before people do.
 */
import { timingSafeEqual } from 'node:crypto';
import type { ServerConfig } from '../config.ts';
import type { Vault } from '../secrets/vault.ts';

/** Acknowledges an alert; agrees to be sent the mails of a channel. */
export type LinkPurpose = 'acknowledge' | 'confirm';

export interface LinkTarget {
  purpose: LinkPurpose;
  /** The alert, or the channel. */
  id: string;
  /** The address that agrees: a link that was mailed to one does not work for another. */
  address?: string;
}

const toSignature = (vault: Pick<Vault, 'toFingerprint'>, { purpose, id, address = '' }: LinkTarget): string =>
  vault.toFingerprint(`alert link ${purpose} ${id} ${address}`).toString('base64url');

/**
 * Where people reach this server. Only the configured address counts, because a request can claim any.
 * @returns undefined where it is not known: a server that others reach, without a public address
 */
export const findBaseUrl = ({
  publicUrl,
  host,
  port,
}: Pick<ServerConfig, 'publicUrl' | 'host' | 'port'>): string | undefined => {
  if (publicUrl !== undefined) return publicUrl;
  return host === '127.0.0.1' || host === 'localhost' ? `http://127.0.0.1:${port}` : undefined;
};

/** The page of the alerts, for those who sign in. */
export const toPageUrl = (base: string | undefined): string | undefined =>
  base === undefined ? undefined : `${base}/alerts`;

export const toLink = (
  vault: Pick<Vault, 'toFingerprint'>,
  base: string | undefined,
  target: LinkTarget,
): string | undefined =>
  base === undefined ? undefined : `${base}/alert-links/${target.purpose}/${target.id}/${toSignature(vault, target)}`;

/** Whether a signature was made here for this. */
export const isSignatureOf = (vault: Pick<Vault, 'toFingerprint'>, target: LinkTarget, signature: string): boolean => {
  const [given, expected] = [Buffer.from(signature), Buffer.from(toSignature(vault, target))];
  return given.length === expected.length && timingSafeEqual(given, expected);
};
