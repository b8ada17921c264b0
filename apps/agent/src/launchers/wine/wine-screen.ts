import { join } from 'node:path';
import { sleep } from '@berth/kit';
import { LauncherError, ScreenRefusal, type Screen } from '../launcher.ts';
import { findMainWindow, toWindows, type Rectangle, type VisibleWindow } from './visible-windows.ts';
import { toShortText } from './host-tools.ts';
import { RUN_FILES, SCREEN_FILE } from './keeper.ts';
import type { WineBox } from './wine-box.ts';
import type { WineHost } from './wine-host.ts';
import { encodePng, findPixels } from './frame-buffer.ts';

const ASK_MS = 20_000;
/** A window redraws itself after it was resized. */
const REDRAW_MS = 200;

type Answer = { ok: true; [field: string]: unknown } | { ok: false; error?: unknown; message?: unknown };

/**
 * The window program's answers, whatever the file contains: objects with `ok`. Undefined where it cannot be parsed.
 * Pure.
 */
const findAnswers = (content: Buffer): Answer[] | undefined => {
  const lines = content.toString('utf8').split('\n');
  try {
    const answers = lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as unknown);
    const isAnswer = (value: unknown) => typeof (value as { ok?: unknown } | null)?.ok === 'boolean';
    return answers.every(isAnswer) ? (answers as Answer[]) : undefined;
  } catch {
    return undefined;
  }
};

/** The X screen of one box: read from outside, operated by the window program inside. One request at a time. */
export class WineScreen implements Screen {
  readonly #box: WineBox;
  readonly #host: WineHost;
  readonly #findProgram: () => string | undefined;

  /** @param findProgram the name of the terminal's executable, if it is known */
  constructor(box: WineBox, host: WineHost, findProgram: () => string | undefined) {
    this.#box = box;
    this.#host = host;
    this.#findProgram = findProgram;
  }

  open(): Promise<string> {
    return this.#box.open();
  }

  async hasWindow(): Promise<boolean> {
    return findMainWindow(await this.listWindows(), this.#findProgram()) !== undefined;
  }

  /**
   * The terminal's main window at the requested size, or as much of it as fits the screen; the whole screen where there
   * is no such window.
   */
  async capture(size: { width: number; height: number }): Promise<Buffer> {
    const window = findMainWindow(await this.listWindows(), this.#findProgram());
    const area = window && (await this.#resize(window, size));
    const pixels = await findPixels(await this.#toScreenFile(), area);
    if (!pixels) throw new LauncherError('screen', "The terminal's screen cannot be read. Start the terminal again.");
    return encodePng(pixels);
  }

  /**
   * @param request `{requests: [{op: 'windows'}, …]}`, in the window program's language, carried out up to the first
   *   that is refused
   * @returns `{answers: […]}`
   */
  async ask(request: object, { timeoutMs } = { timeoutMs: ASK_MS }): Promise<Record<string, unknown>> {
    const { requests } = request as { requests?: unknown };
    if (!Array.isArray(requests)) throw new TypeError('A question to the window program must have requests');
    const lines = requests.map((item) => JSON.stringify(item)).join('\n');
    const answers = findAnswers(await this.#box.windows.ask(`${lines}\n`, timeoutMs));
    if (!answers) throw new LauncherError('screen', "The answer of the terminal's screen is not understood.");
    for (const answer of answers) {
      if (answer.ok) continue;
      const { error, message } = answer;
      throw new ScreenRefusal(
        toShortText(String(error)),
        typeof message === 'string' ? toShortText(message) : undefined,
      );
    }
    return { answers };
  }

  /** The visible windows of every program in the box. */
  async listWindows(): Promise<VisibleWindow[]> {
    const { answers } = await this.ask({ requests: [{ op: 'windows' }] });
    return toWindows((answers as { windows?: unknown }[])[0]?.windows);
  }

  async #getBox() {
    const box = await this.#box.find();
    if (box) return box;
    throw new LauncherError('screen', 'The terminal has no screen: its box does not run. Start the terminal.');
  }

  async #resize({ handle, rect }: VisibleWindow, size: { width: number; height: number }): Promise<Rectangle> {
    const { screen } = this.#host.settings;
    const width = Math.min(size.width, screen.width);
    const height = Math.min(size.height, screen.height);
    if (rect.width === width && rect.height === height) return rect;
    await this.ask({ requests: [{ op: 'resize', window: handle, width, height }] });
    await sleep(REDRAW_MS);
    return (await this.listWindows()).find((window) => window.handle === handle)?.rect ?? rect;
  }

  /** In a box the screen is in the box's own memory, which is reached through its first process. */
  async #toScreenFile(): Promise<string> {
    const { init } = await this.#getBox();
    if (this.#host.isolation.level === 'none') return join(this.#box.paths.run, RUN_FILES.screen, SCREEN_FILE);
    return join(`/proc/${init.pid}/root`, this.#box.inside.run, RUN_FILES.screen, SCREEN_FILE);
  }
}
