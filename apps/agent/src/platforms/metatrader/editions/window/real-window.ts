import { LauncherError, type Screen } from '../../../../launchers/launcher.ts';
import type { DemoForm, DemoResult, OpenDialog, MainWindow, ScreenshotRequest } from '../../edition.ts';
import { openDemoAccount } from './demo-wizard.ts';
import { WindowInspector } from './window-inspector.ts';
import { assertMainWindow, getMainWindow } from './main-window.ts';
import { listOpenDialogs } from './open-dialogs.ts';
import { readWebRequestUrls, writeWebRequestUrls } from './options-dialog.ts';

/** The key of the Algo Trading button. */
const TOGGLE = 'ctrl+e';

/**
 * Operates a real window through the window program beside it: dialogs, keys and screenshots. One operation at a time,
 * so that a dialog opened for one does not surprise another.
 */
export class RealWindow implements MainWindow {
  readonly #screen: Screen;
  readonly #inspector: WindowInspector;
  readonly #program: string;
  #last: Promise<unknown> = Promise.resolve();

  /** @param program the file name of the terminal's program */
  constructor(screen: Screen, program: string) {
    this.#screen = screen;
    this.#inspector = new WindowInspector(screen);
    this.#program = program;
  }

  capture({ chart, ...size }: ScreenshotRequest): Promise<Buffer> {
    return this.#inTurn(async () => {
      if (chart !== null) await this.#showChart(chart.captions);
      return this.#screen.capture(size);
    });
  }

  openDemo(form: DemoForm): Promise<DemoResult> {
    return this.#inTurn(() => openDemoAccount(this.#inspector, this.#program, form));
  }

  listWebRequestUrls(): Promise<string[]> {
    return this.#inTurn(() => readWebRequestUrls(this.#inspector, this.#program));
  }

  setWebRequestUrls(urls: readonly string[]): Promise<void> {
    return this.#inTurn(() => writeWebRequestUrls(this.#inspector, this.#program, urls));
  }

  toggleAlgoTrading(): Promise<boolean> {
    return this.#inTurn(async () => {
      const { handle } = await getMainWindow(this.#inspector, this.#program);
      await this.#inspector.act({ op: 'key', window: handle, keys: TOGGLE });
      return true;
    });
  }

  assertAnswers(): Promise<void> {
    return this.#inTurn(() => assertMainWindow(this.#inspector, this.#program));
  }

  listDialogs(): Promise<OpenDialog[]> {
    return this.#inTurn(() => listOpenDialogs(this.#inspector));
  }

  /** The caption of a chart's window is its symbol and period. @param captions any of these */
  async #showChart(captions: readonly string[]): Promise<void> {
    const main = await getMainWindow(this.#inspector, this.#program);
    const controls = await this.#inspector.listControls(main);
    const chart = controls.find(({ text }) => captions.some((each) => text === each || text.startsWith(`${each} `)));
    if (!chart) throw new LauncherError('screen', `The terminal shows no window of the chart ${captions[0] ?? ''}.`);
    await this.#inspector.act({ op: 'activate', control: chart.handle });
  }

  #inTurn<Result>(act: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(act);
    this.#last = done.catch(() => undefined);
    return done;
  }
}
