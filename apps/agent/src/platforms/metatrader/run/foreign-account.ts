import { sleep, type Logger } from '@berth/kit';
import type { ProcessHandle, Processes } from '../../../launchers/launcher.ts';
import type { Edition, MainWindow } from '../edition.ts';
import type { RecordFile } from '../record.ts';
import type { TerminalView } from './terminal-view.ts';
import type { WaitOptions } from './view-waiters.ts';

export interface ForeignAccountOptions {
  edition: Pick<Edition, 'timing'>;
  window: Pick<MainWindow, 'toggleAlgoTrading'>;
  processes: Processes;
  record: RecordFile;
  live: {
    readonly view: TerminalView;
    readonly algoTrading: boolean | null;
    /** null while it does not run, or is being stopped. */
    findProcess: () => ProcessHandle | null;
    closeForRestart(process: ProcessHandle): Promise<void>;
    waitUntil: (condition: (view: TerminalView) => boolean, options: WaitOptions) => Promise<boolean>;
  };
  log: Logger;
}

const POLL_MS = 100;

/**
 * Ensures that no EA trades on an account that nobody asked for: Algo Trading is turned off, and stays off until the
 * user turns it on again. The button is tried first, which takes a moment; a terminal that does not confirm it is
 * ended, and the next start has trading turned off.
 */
export class ForeignAccount {
  readonly #options: ForeignAccountOptions;
  #isUnderWay = false;

  constructor(options: ForeignAccountOptions) {
    this.#options = options;
  }

  /** Call it after every change. */
  check(): void {
    if (this.#isUnderWay || !this.#isTrading()) return;
    this.#isUnderWay = true;
    const onError = (error: unknown) =>
      this.#options.log.error({ err: error }, 'algo trading on a foreign account could not be switched off');
    void this.#switchOff()
      .catch(onError)
      .finally(() => (this.#isUnderWay = false));
  }

  /** If the state of the switch is unknown, it may be on. */
  #isTrading(): boolean {
    const { view, algoTrading, findProcess } = this.#options.live;
    return view.login.state === 'elsewhere' && algoTrading !== false && findProcess() !== null;
  }

  async #switchOff(): Promise<void> {
    const { record } = this.#options;
    if (record.get().allowsAlgoTrading) await record.update({ allowsAlgoTrading: false });
    if (!(await this.#pressButton())) await this.#end();
  }

  async #pressButton(): Promise<boolean> {
    const { edition, window, live, log } = this.#options;
    // The button only toggles: from an unknown state it could turn trading on.
    if (live.algoTrading !== true) return false;
    try {
      if (!(await window.toggleAlgoTrading())) return false;
      return await live.waitUntil(({ algoTrading }) => algoTrading === false, { timeoutMs: edition.timing.toggleMs });
    } catch (error) {
      log.warn({ err: error }, 'the button for algo trading could not be pressed');
      return false;
    }
  }

  /** A terminal that was ended is restarted from outside. */
  async #end(): Promise<void> {
    const { edition, processes, live, log } = this.#options;
    const process = live.findProcess();
    if (!process || !this.#isTrading()) return;
    log.warn('a terminal that is logged in to a foreign account is ended, so that its experts do not trade');
    await live.closeForRestart(process);
    const deadlineMs = performance.now() + edition.timing.politeStopMs;
    while (performance.now() < deadlineMs && (await processes.isRunning(process))) await sleep(POLL_MS);
    if (this.#isTrading() && live.findProcess() === process) await processes.clear();
  }
}
