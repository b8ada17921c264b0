import { LauncherError, type Box, type Screen } from '../launcher.ts';
import { findMainWindow, findWindow, toWindows, type VisibleWindow } from '../visible-windows.ts';
import { MAX_BITMAP_BYTES, readBitmap } from '../images/bitmap.ts';
import { encodePng } from '../images/png.ts';
import type { SessionHelper } from './windows-session.ts';
import { toBoxQuestion, type ToWindowsPath } from './windows-box.ts';

/** The answer to `windows`, without the windows of others: all terminals share the desktop. */
const keepWindowsOf = (pids: ReadonlySet<number>, answer: Record<string, unknown> | undefined): unknown[] => {
  if (!Array.isArray(answer?.windows)) throw new LauncherError('screen', 'The session helper listed no windows.');
  return answer.windows.filter((window) => pids.has(findWindow(window)?.pid ?? NaN));
};

export const listVisibleWindows = async (
  helper: SessionHelper,
  pids: ReadonlySet<number>,
): Promise<VisibleWindow[]> => {
  const [answer] = await helper.askWindows([{ op: 'windows' }]);
  return toWindows(keepWindowsOf(pids, answer));
};

/** The windows of one terminal on the desktop that it shares with the others. */
export class WindowsScreen implements Screen {
  readonly #helper: SessionHelper;
  readonly #box: Box;
  readonly #toWindowsPath: ToWindowsPath;

  constructor(helper: SessionHelper, box: Box, toWindowsPath: ToWindowsPath) {
    this.#helper = helper;
    this.#box = box;
    this.#toWindowsPath = toWindowsPath;
  }

  /** @returns the name of a session's desktop, which programs find by themselves */
  async open(): Promise<string> {
    await this.#helper.ensure();
    return 'winsta0\\default';
  }

  async hasWindow(): Promise<boolean> {
    return (await this.#listWindows()).some(({ title }) => title !== '');
  }

  async capture({ width, height }: { width: number; height: number }): Promise<Buffer> {
    const main = findMainWindow(await this.#listWindows(), undefined);
    if (!main) throw new LauncherError('screen', 'The terminal shows no window.');
    // A window that does not accept the size, or is busy with a dialog, is captured as it is.
    await this.#helper.askWindows([{ op: 'resize', window: main.handle, width, height }]).catch((error: unknown) => {
      if (!(error instanceof LauncherError)) throw error;
    });
    const image = readBitmap(await this.#helper.capture(main.handle, MAX_BITMAP_BYTES));
    if (!image) throw new LauncherError('screen', 'The image of the window is not understood.');
    return encodePng(image);
  }

  /**
   * Takes `{ requests: […] }`, the window program's lines, and returns `{ answers: […] }`. Windows of other terminals
   * are left out of lists.
   */
  async ask(request: object, options?: { timeoutMs: number }): Promise<Record<string, unknown>> {
    const requests = (request as { requests?: readonly object[] }).requests ?? [];
    const answers = await this.#helper.askWindows(requests, options?.timeoutMs);
    const isListing = (index: number) => {
      const request: { op?: unknown } | undefined = requests[index];
      return request?.op === 'windows';
    };
    if (!answers.some((_, index) => isListing(index))) return { answers };
    const pids = await this.#listPids();
    return {
      answers: answers.map((answer, index) =>
        isListing(index) ? { ...answer, windows: keepWindowsOf(pids, answer) } : answer,
      ),
    };
  }

  async #listWindows(): Promise<VisibleWindow[]> {
    const pids = await this.#listPids();
    return pids.size === 0 ? [] : listVisibleWindows(this.#helper, pids);
  }

  async #listPids(): Promise<Set<number>> {
    const { processes } = await this.#helper.listProcesses(toBoxQuestion(this.#box, this.#toWindowsPath));
    return new Set(processes.map(({ pid }) => pid));
  }
}
