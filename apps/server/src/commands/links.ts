import type { ServerConfig } from '../config.ts';
import type { Call } from './command.ts';

/** A link with a secret in its fragment (`#`). It cannot be shown again. */
export const toLink = ({ publicUrl, host, port }: ServerConfig, call: Call, fragment: string): string => {
  if (publicUrl === undefined) call.say('BERTH_PUBLIC_URL is not set here, so the link is for this machine.');
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const name = isEverywhere ? '127.0.0.1' : host;
  const base = publicUrl ?? `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
  return new URL(`${base}/#${fragment}`).href;
};
