/**
 * What a host is told in the answer to its claim, besides tasks. It is a hint: risk rules that have changed, announced by
 * triggers of the database, are named by the next heartbeat too, and checks are asked for again.
 */
import type { Listener } from '../db/listener.ts';

const RISK_CHANNEL = 'berth_risk';
export const CHECKS_CHANNEL = 'berth_switch_checks';

/** `risk`: the rules of its terminals have changed. `checks`: there are terminals to check. */
export type HostNewsKind = 'risk' | 'checks';
type Listen = (hostId: string, kind: HostNewsKind) => void;

export class HostNews {
  readonly #listeners = new Set<Listen>();

  constructor(listener: Listener) {
    const tell = (kind: HostNewsKind) => (hostId: string) => this.#listeners.forEach((listen) => listen(hostId, kind));
    listener.on(RISK_CHANNEL, { onMessage: tell('risk') });
    listener.on(CHECKS_CHANNEL, { onMessage: tell('checks') });
  }

  onNews(listen: Listen): void {
    this.#listeners.add(listen);
  }
}
