import { isDeepStrictEqual } from 'node:util';
import { TerminalStatus } from '@berth/contract/values';
import type { Observation } from '../../driver.ts';
import type { LoginState } from './terminal-view.ts';

/** What the login's state means to the user. Pure. */
export const toObservation = (login: LoginState): Observation => {
  switch (login.state) {
    case 'connecting':
      return { status: TerminalStatus.CONNECTING, reason: null };
    case 'in':
      return { status: TerminalStatus.ACTIVE, reason: null };
    case 'offline':
      return { status: TerminalStatus.DISCONNECTED, reason: login.reason };
    case 'refused':
    case 'silent':
      return { status: TerminalStatus.LOGIN_FAILED, reason: login.reason };
    case 'none':
      return {
        status: TerminalStatus.LOGIN_FAILED,
        reason: 'The terminal has no account. Send ACCOUNT_LOGIN with login, password and server_name.',
      };
  }
};

/** The latest observation of a terminal and those who want to hear of the next. */
export class Observations {
  #current: Observation | undefined;
  readonly #listeners = new Set<(observation: Observation) => void>();

  get(): Observation | undefined {
    return this.#current;
  }

  /** Tells the listeners, unless nothing has changed. */
  set(observation: Observation): void {
    if (isDeepStrictEqual(this.#current, observation)) return;
    this.#current = observation;
    for (const listener of this.#listeners) listener(observation);
  }

  /** The terminal is gone: there is nothing to observe. */
  clear(): void {
    this.#current = undefined;
  }

  listen(listener: (observation: Observation) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
