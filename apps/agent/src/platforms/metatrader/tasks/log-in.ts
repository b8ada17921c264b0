import type { TradingState } from '@berth/contract/values';
import type { Credentials } from '../files/start-file.ts';
import { toServer } from '../record.ts';
import type { TerminalView } from '../run/terminal-view.ts';
import { StepFailure } from '../step-failure.ts';
import type { TerminalParts } from './task-run.ts';

/** The silence timer of the running terminal decides; this only keeps a wait from lasting for ever if that fails. */
const SILENCE_MARGIN_MS = 5_000;

export const toCredentials = (
  terminal: TerminalParts,
  account: { login: string; password: string; serverName: string },
): Credentials => ({
  login: account.login,
  password: account.password,
  server: toServer(terminal.record.get(), account.serverName),
});

const hasEnded = ({ login }: TerminalView): boolean => login.state !== 'connecting';

/**
 * Waits until the current login has ended. A login to another account is not the one awaited. Throws E_AUTH when the
 * server refused it, E_NO_CONNECTION, E_SERVER_UNKNOWN after complete silence, and E_TIMEOUT with what was observed
 * when the terminal stays with another account.
 */
export const waitForLogin = async ({ live, edition }: TerminalParts, signal: AbortSignal) => {
  const { loginSilenceMs: silenceMs } = edition.timing;
  await live.waitUntil(hasEnded, { timeoutMs: silenceMs + SILENCE_MARGIN_MS, signal });
  await live.waitUntil(({ login }) => login.state !== 'elsewhere', { timeoutMs: silenceMs, signal });
  await live.settleLogin();
  return assertLoggedIn(live.view);
};

/** Throws what `waitForLogin` throws. */
const assertLoggedIn = ({ login }: TerminalView) => {
  switch (login.state) {
    case 'in':
      return login;
    case 'refused':
    case 'lacking':
      throw new StepFailure('E_AUTH', login.reason);
    case 'offline':
      throw new StepFailure('E_NO_CONNECTION', `${login.reason} The terminal keeps trying.`);
    case 'silent':
      throw new StepFailure('E_SERVER_UNKNOWN', login.reason);
    case 'elsewhere': {
      const data = { login: login.login, server_name: login.server, connected: true };
      throw new StepFailure('E_TIMEOUT', login.reason, { data });
    }
    case 'none':
    case 'connecting':
      throw new StepFailure('E_TIMEOUT', 'The terminal said nothing about the login.');
  }
};

/** The journal shows what an account allows just after its login. Waits for that for a moment, if there was a login. */
export const waitForTrading = async (
  { live, edition }: TerminalParts,
  signal: AbortSignal,
  isExpertAllowed?: boolean,
): Promise<TradingState> => {
  if (!edition.dialect.reportsAccountTrading) return live.getTrading(isExpertAllowed);
  const isReported = ({ login, accountTrading }: TerminalView) => login.state !== 'in' || accountTrading !== null;
  await live.waitUntil(isReported, { timeoutMs: edition.timing.toggleMs, signal });
  return live.getTrading(isExpertAllowed);
};

/**
 * `waitForLogin`, and then `waitForTrading`. An account whose password has to be changed is let in and refused a moment
 * later, so the login counts as it is then.
 */
export const waitForAccount = async (terminal: TerminalParts, signal: AbortSignal) => {
  await waitForLogin(terminal, signal);
  const trading = await waitForTrading(terminal, signal);
  const { pingMs } = assertLoggedIn(terminal.live.view);
  return { pingMs, trading };
};
