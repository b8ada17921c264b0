/**
 * The windows of one terminal, listed and operated through the window program beside it. Its answers come from a box in
 * which anything may run: every answer is parsed with care, and nothing in it is more than text, numbers and handles.
 */
import { sleep } from '@berth/kit';
import { LauncherError, type Screen } from '../../../../launchers/launcher.ts';

/** A visible top-level window. */
export interface WindowInfo {
  handle: string;
  className: string;
  title: string;
  /** False while a dialog is in front of it. */
  isEnabled: boolean;
  /** The window that it belongs to. */
  owner: string | undefined;
  /** The file name of its program. */
  program: string;
  isHung: boolean;
}

/** A control inside of a window. */
export interface ControlInfo {
  handle: string;
  parent: string;
  id: number;
  className: string;
  text: string;
  isEnabled: boolean;
  isVisible: boolean;
  isChecked: boolean;
  items: readonly string[];
  selected: number;
}

/** One line for the window program; docs/platforms/window-program.md has all of them. */
export interface WindowRequest {
  op: string;
  [field: string]: string | number;
}

/** How long a window may take to open or close after a request. */
const WINDOW_MS = 10_000;
/** Each poll starts a program, which takes about a tenth of a second. */
const POLL_MS = 100;

type Fields = Record<string, unknown>;

const toFields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const toText = (value: unknown): string => (typeof value === 'string' ? value : '');
const toInteger = (value: unknown): number => (Number.isSafeInteger(value) ? (value as number) : -1);
const toList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const toWindow = (value: unknown): WindowInfo => {
  const { handle, class: className, title, enabled, owner, program, hung } = toFields(value);
  return {
    handle: toText(handle),
    className: toText(className),
    title: toText(title),
    isEnabled: enabled === true,
    owner: typeof owner === 'string' ? owner : undefined,
    program: toText(program),
    isHung: hung === true,
  };
};

const toControl = (value: unknown): ControlInfo => {
  const fields = toFields(value);
  return {
    handle: toText(fields.handle),
    parent: toText(fields.parent),
    id: toInteger(fields.id),
    className: toText(fields.class),
    text: toText(fields.text),
    isEnabled: fields.enabled === true,
    isVisible: fields.visible === true,
    isChecked: fields.checked === true,
    items: toList(fields.items).map(toText),
    selected: toInteger(fields.selected),
  };
};

/**
 * Operates windows step by step; everything throws a LauncherError (`screen`) where a window does not respond as
 * expected.
 */
export class WindowInspector {
  readonly #screen: Screen;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  async listWindows(): Promise<WindowInfo[]> {
    const [answer] = await this.act({ op: 'windows' });
    return toList(answer?.windows).map(toWindow);
  }

  async listControls({ handle }: Pick<WindowInfo, 'handle'>): Promise<ControlInfo[]> {
    const [answer] = await this.act({ op: 'controls', window: handle });
    return toList(answer?.controls).map(toControl);
  }

  /** Carries out the requests in order, up to the first that is refused (ScreenRefusal). @returns their answers */
  async act(...requests: WindowRequest[]): Promise<Fields[]> {
    const { answers } = await this.#screen.ask({ requests });
    return toList(answers).map(toFields);
  }

  /** Waits for a window. Throws when none appears. @param what names it in the error: "the options dialog" */
  async waitForWindow(what: string, isWanted: (window: WindowInfo) => boolean): Promise<WindowInfo> {
    const found = await this.#poll(async () => (await this.listWindows()).find(isWanted));
    if (!found) throw new LauncherError('screen', `The terminal did not open ${what}.`);
    return found;
  }

  /** Waits until the window is gone. Throws when it stays. */
  async waitForEnd(what: string, { handle }: Pick<WindowInfo, 'handle'>): Promise<void> {
    const hasEnded = async () => !(await this.listWindows()).some((window) => window.handle === handle);
    if (!(await this.#poll(hasEnded))) throw new LauncherError('screen', `The terminal did not close ${what}.`);
  }

  /** Waits until the window's controls are as expected. Throws when they never are. */
  async waitForControls<Result>(
    what: string,
    window: Pick<WindowInfo, 'handle'>,
    find: (controls: readonly ControlInfo[]) => Result | undefined,
  ): Promise<Result> {
    const found = await this.#poll(async () => find(await this.listControls(window)));
    if (found === undefined) throw new LauncherError('screen', `The terminal's window did not show ${what}.`);
    return found;
  }

  async #poll<Result>(look: () => Promise<Result | undefined | false>): Promise<Result | undefined> {
    const deadline = performance.now() + WINDOW_MS;
    for (;;) {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      if (performance.now() >= deadline) return undefined;
      await sleep(POLL_MS);
    }
  }
}
