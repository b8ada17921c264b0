import { cutText, isSingleLine, type StepCode } from '@berth/contract/values';
import { isScreenError } from '../../../launchers/launcher.ts';
import type { DemoForm, DemoResult } from '../edition.ts';
import { StepFailure } from '../step-failure.ts';
import { waitForLogin } from './log-in.ts';
import { type TerminalParts, assertRunning, type TaskHandler, type TaskRun } from './task-run.ts';

type Failure = readonly [code: StepCode, message: string];

const failures: Record<Exclude<DemoResult, { ok: true }>['error'], Failure> = {
  no_connection: ['E_NO_CONNECTION', 'Could not reach the trading server. Try again later.'],
  unknown_server: ['E_SERVER_UNKNOWN', 'The terminal does not know this trading server. Check its name.'],
  refused: ['E_UNSUPPORTED', 'The trading server refused to open a demo account. Open it in the broker’s own way.'],
};

const toForm = ({
  server_name,
  name,
  email,
  balance,
  leverage,
  currency,
}: TaskRun<'ACCOUNT_OPEN_DEMO'>['payload']): DemoForm => ({
  server: server_name,
  name,
  email,
  ...(balance === undefined ? {} : { balance }),
  ...(leverage === undefined ? {} : { leverage }),
  ...(currency === undefined ? {} : { currency }),
});

/**
 * Fills in the form. If the screen stopped responding, the journal shows whether an account exists: the error then
 * names it, because its password can no longer be read.
 */
const fillInForm = async ({ window, live }: TerminalParts, form: DemoForm) => {
  const before = live.view.openedDemos.length;
  try {
    return await window.openDemo(form);
  } catch (error) {
    const login = isScreenError(error) ? live.view.openedDemos[before] : undefined;
    if (login === undefined) throw error;
    const text = `The demo account ${login} was opened, but its password was not read. Ask the broker to reset it.`;
    throw new StepFailure('E_INTERNAL', text, { cause: error });
  }
};

const MAX_PASSWORD = 128;
const MAX_LOGIN = 64;

/** The account exists, but a later login could not use what was read from the screen. */
const assertUsable = ({ login, password }: { login: string; password: string }): void => {
  const fits = [login, password].every(isSingleLine) && password.length <= MAX_PASSWORD && login.length <= MAX_LOGIN;
  if (fits) return;
  const name = isSingleLine(login) ? cutText(login, MAX_LOGIN) : 'of an unreadable number';
  const text = `The demo account ${name} was opened, but its password could not be read. Ask the broker to reset it.`;
  throw new StepFailure('E_INTERNAL', text);
};

/** ACCOUNT_OPEN_DEMO. Never retried: each success creates another account. */
export const accountOpenDemo: TaskHandler<'ACCOUNT_OPEN_DEMO'> = async ({ payload, terminal, steps, signal }) => {
  const { live } = terminal;
  const serverName = payload.server_name;
  const { login, password } = await steps.run('open_account', async () => {
    assertRunning(terminal);
    const result = await live.accounts
      .whileOpening(async () => {
        const opened = await fillInForm(terminal, toForm(payload));
        if (!opened.ok) throw new StepFailure(...failures[opened.error]);
        assertUsable(opened);
        await live.accounts.use({ login: opened.login, server_name: serverName });
        await live.starts.keep({ login: opened.login, password: opened.password, serverName });
        return opened;
      })
      .finally(() => live.refresh());
    return { message: `The demo account ${result.login} was opened.`, login: result.login, password: result.password };
  });
  // The account exists whatever the login does, so a failed login is reported but does not fail the task.
  await steps.attempt('log_in', async () => {
    await waitForLogin(terminal, signal);
    return { message: `Logged in to ${serverName}.` };
  });
  await steps.run('ready', async () => ({
    message: 'The password is kept in the vault of the service.',
    data: { login, server_name: serverName },
  }));
  return { password };
};
