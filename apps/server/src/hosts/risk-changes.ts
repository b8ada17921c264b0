/**
 * Hosts whose risk rules have changed, announced by triggers of the database, whoever changes them. It is a hint: a host
 * that misses it learns of the change from its next heartbeat.
 */
import type { Listener } from '../db/listener.ts';

const CHANNEL = 'berth_risk';

export class RiskChanges {
  readonly #listeners = new Set<(hostId: string) => void>();

  constructor(listener: Listener) {
    listener.on(CHANNEL, { onMessage: (hostId) => this.#listeners.forEach((listen) => listen(hostId)) });
  }

  onChange(listen: (hostId: string) => void): void {
    this.#listeners.add(listen);
  }
}
