import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostFacts } from '@berth/contract/agent';
import type { Platform } from '@berth/contract/values';
import { removeDrafts, replaceFile } from '@berth/kit';
import { readEnrolment } from '../server/server-answers.ts';
import { sendJson, type Transport } from '../server/server-transport.ts';

/** A host's identity at the server. `credential` is secret: the whole value after `Bearer`. */
export interface HostCredential {
  hostId: string;
  credential: string;
}

const toPath = (folder: string): string => join(folder, 'credential.json');

/**
 * Removes drafts of the secret left by an agent that was killed while it enrolled. No other agent may be using the
 * folder.
 */
export const removeCredentialDrafts = (folder: string): Promise<void> => removeDrafts(toPath(folder));

/** @returns undefined for a host that never enrolled. Rejects when the file is damaged. */
export const findCredential = async (folder: string): Promise<HostCredential | undefined> => {
  let text: string;
  try {
    text = await readFile(toPath(folder), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { host_id, credential } = JSON.parse(text) as Record<string, unknown>;
    if (typeof host_id === 'string' && typeof credential === 'string') return { hostId: host_id, credential };
  } catch {
    // The text below says what to do; the parser's message would quote the secret.
  }
  throw new Error(`${toPath(folder)} is damaged. Remove it and enrol the host again with a new join token.`);
};

export interface EnrolOptions {
  transport: Transport;
  folder: string;
  platforms: readonly Platform[];
  facts?: HostFacts | undefined;
}

/** Exchanges a join token for a credential and stores it, readable only by this account. Rejects with a ServerError. */
export const enrol = async (
  { transport, folder, platforms, facts }: EnrolOptions,
  joinToken: string,
  signal: AbortSignal,
): Promise<HostCredential> => {
  const body = { join_token: joinToken, platforms, facts };
  const { hostId, credential } = readEnrolment(await sendJson(transport, { path: 'v1/agent/enrol', body, signal }));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await replaceFile(toPath(folder), `${JSON.stringify({ host_id: hostId, credential })}\n`);
  return { hostId, credential };
};
