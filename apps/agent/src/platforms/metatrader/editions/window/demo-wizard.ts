/**
 * The wizard File > Open an Account. It opens an account at a broker, so it is completed only once: a failure before
 * the last page has changed nothing, and is left by Cancel.
 */
import { LauncherError } from '../../../../launchers/launcher.ts';
import type { DemoForm, DemoResult } from '../../edition.ts';
import type { WindowInspector, ControlInfo, WindowInfo } from './window-inspector.ts';
import { DIALOG_CLASS, findButton, findFieldAfter, getFieldAfter, isCalled, pressButton } from './dialog.ts';
import { findMainWindow, getMainWindow } from './main-window.ts';

const TITLE = 'Open an Account';
const WHAT = 'the wizard "Open an Account"';
/** Brokers' forms require a number; we have none, so it gets one that reaches nobody. */
const PHONE = 'Mobile phone';
const NO_PHONE = '+10000000000';
/** The menu File, and its entry "Open an Account". */
const KEYS = ['alt+f', 'a'];

const isWizard = ({ title, className }: WindowInfo): boolean => title === TITLE && className === DIALOG_CLASS;

const failures: readonly [pattern: RegExp, error: Exclude<DemoResult, { ok: true }>['error']][] = [
  [/no connection|not connected|timeout/i, 'no_connection'],
  [/no results|unknown server|not found/i, 'unknown_server'],
  [/refused|rejected|not allowed|failed/i, 'refused'],
];

/** What a page shows instead of continuing. */
const findFailure = (controls: readonly ControlInfo[]) => {
  const texts = controls.filter(({ className, isVisible }) => isVisible && className === 'Static');
  return failures.find(([pattern]) => texts.some(({ text }) => pattern.test(text)))?.[1];
};

/** A page continues, or says why not. */
const waitForPage = <Result>(
  inspector: WindowInspector,
  wizard: WindowInfo,
  what: string,
  find: (controls: readonly ControlInfo[]) => Result | undefined,
) =>
  inspector.waitForControls(what, wizard, (controls) => {
    const found = find(controls);
    if (found !== undefined) return { found };
    const error = findFailure(controls);
    return error && { error };
  });

/** A terminal without an account may have opened the wizard by itself. */
const openWizard = async (inspector: WindowInspector, program: string): Promise<WindowInfo> => {
  const windows = await inspector.listWindows();
  const open = windows.find(isWizard);
  if (open) return open;
  const main = findMainWindow(windows, program) ?? (await getMainWindow(inspector, program));
  await inspector.act(...KEYS.map((keys) => ({ op: 'key', window: main.handle, keys })));
  return inspector.waitForWindow(WHAT, isWizard);
};

class DemoWizard {
  readonly #inspector: WindowInspector;
  readonly #wizard: WindowInfo;

  constructor(inspector: WindowInspector, wizard: WindowInfo) {
    this.#inspector = inspector;
    this.#wizard = wizard;
  }

  async fillIn(form: DemoForm): Promise<DemoResult> {
    const unknown = await this.#chooseServer(form.server);
    if (unknown) return this.#cancel(unknown);
    await pressButton(this.#inspector, this.#wizard, 'Next >');
    await this.#chooseDemo();
    await this.#enterPerson(form);
    await pressButton(this.#inspector, this.#wizard, 'Next >');
    return this.#readResult();
  }

  async #chooseServer(server: string) {
    const inspector = this.#inspector;
    const search = await inspector.waitForControls('the field for a company or server', this.#wizard, (controls) =>
      controls.find(({ className, isVisible }) => isVisible && className === 'Edit'),
    );
    await inspector.act({ op: 'set', control: search.handle, text: server });
    await pressButton(inspector, this.#wizard, 'Find your broker');
    const result = await waitForPage(inspector, this.#wizard, 'the trading server in its list', (controls) =>
      controls.find(
        ({ className, items }) => className === 'SysListView32' && items.some((item) => isServer(item, server)),
      ),
    );
    if ('error' in result && result.error) return result.error;
    const list = result.found;
    const item = list.items.findIndex((each) => isServer(each, server));
    await inspector.act({ op: 'select', control: list.handle, item });
    return undefined;
  }

  async #chooseDemo(): Promise<void> {
    const button = await this.#inspector.waitForControls('the choice of a demo account', this.#wizard, (controls) =>
      findButton(controls, 'Open a demo account'),
    );
    await this.#inspector.act({ op: 'check', control: button.handle, on: 1 });
    await pressButton(this.#inspector, this.#wizard, 'Next >');
  }

  async #enterPerson({ name, email, balance, leverage, currency }: DemoForm): Promise<void> {
    const inspector = this.#inspector;
    const controls = await inspector.waitForControls('its form', this.#wizard, (all) =>
      findFieldAfter(all, 'First name', 'Edit') ? all : undefined,
    );
    const [first = name, ...rest] = name.split(' ');
    const set = (label: string, text: string) =>
      inspector.act({ op: 'set', control: getFieldAfter(controls, label, 'Edit').handle, text });
    await set('First name', first);
    await set('Second name', rest.join(' ') || first);
    await set('E-mail', email);
    if (findFieldAfter(controls, PHONE, 'Edit')) await set(PHONE, NO_PHONE);
    await this.#choose(controls, 'Deposit', balance?.toString());
    await this.#choose(controls, 'Leverage', leverage === undefined ? undefined : `1:${leverage}`);
    await this.#choose(controls, 'Currency', currency);
    const terms = controls.find(({ text, isVisible }) => isVisible && /^I (&?)agree/i.test(text.replace('&', '')));
    if (terms) await inspector.act({ op: 'check', control: terms.handle, on: 1 });
  }

  /**
   * Selects an option of the form; a free field accepts any text. An option that is not offered keeps the broker's
   * default.
   */
  async #choose(controls: readonly ControlInfo[], label: string, value: string | undefined): Promise<void> {
    const field = value === undefined ? undefined : findFieldAfter(controls, label, 'ComboBox');
    if (!field || value === undefined) return;
    const item = field.items.findIndex((each) => each.replaceAll(/[\s,]/g, '').startsWith(value));
    if (item >= 0) await this.#inspector.act({ op: 'select', control: field.handle, item });
    else if (controls.some(({ parent, className }) => parent === field.handle && className === 'Edit')) {
      await this.#inspector.act({ op: 'set', control: field.handle, text: value });
    }
  }

  async #readResult(): Promise<DemoResult> {
    const inspector = this.#inspector;
    const result = await waitForPage(inspector, this.#wizard, 'the new account', (controls) => {
      const login = findFieldAfter(controls, 'Login', 'Edit')?.text;
      const password = findFieldAfter(controls, 'Password', 'Edit')?.text;
      return login && password && findButton(controls, 'Finish') ? { login, password } : undefined;
    });
    if ('error' in result && result.error) return this.#cancel(result.error);
    await pressButton(inspector, this.#wizard, 'Finish');
    await inspector.waitForEnd(WHAT, this.#wizard);
    return { ok: true, ...result.found };
  }

  async #cancel(error: Exclude<DemoResult, { ok: true }>['error']): Promise<DemoResult> {
    await this.cancel();
    return { ok: false, error };
  }

  async cancel(): Promise<void> {
    await pressButton(this.#inspector, this.#wizard, 'Cancel');
    await this.#inspector.waitForEnd(WHAT, this.#wizard);
  }
}

/** A row has the name of the server, and more columns. */
const isServer = (item: string, server: string): boolean =>
  item.split('\t').some((column) => isCalled({ text: column }, server));

/** Opens a demo account. Throws where the outcome is unknown: the journal then knows more. */
export const openDemoAccount = async (
  inspector: WindowInspector,
  program: string,
  form: DemoForm,
): Promise<DemoResult> => {
  const wizard = new DemoWizard(inspector, await openWizard(inspector, program));
  try {
    return await wizard.fillIn(form);
  } catch (error) {
    if (error instanceof LauncherError) await wizard.cancel().catch(() => undefined);
    throw error;
  }
};
