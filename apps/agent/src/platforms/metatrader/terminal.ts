import { join } from 'node:path';
import type { TerminalChart } from '@berth/contract/agent';
import type { LinkState } from '@berth/contract/values';
import type { Logger } from '@berth/kit';
import type { Processes } from '../../launchers/launcher.ts';
import type {
  AccountExchange,
  AttemptContext,
  AttemptOutcome,
  Observation,
  TerminalDriver,
  TerminalLoad,
} from '../driver.ts';
import type { Offer } from './edition.ts';
import { toTerminalHome } from './home.ts';
import { RECORD_FILE, RecordFile } from './record.ts';
import { SeenCharts } from './seen-charts.ts';
import { FolderSize } from './run/folder-size.ts';
import { LiveTerminal } from './run/live-terminal.ts';
import { Observations } from './run/observations.ts';
import { checkSwitch } from './run/switch-check.ts';
import { carryOut } from './tasks/carry-out.ts';
import type { TerminalParts } from './tasks/task-run.ts';

export interface TerminalOptions extends Offer {
  id: string;
  /** Everything of this terminal; it may not exist yet. */
  folder: string;
  log: Logger;
}

interface MeasuredParts {
  record: Pick<RecordFile, 'get'>;
  live: Pick<LiveTerminal, 'view' | 'isAlive'>;
}

/** Its connection to the trading server; the ping is the last one in the journal. */
const toLink = ({ record, live }: MeasuredParts): { link: LinkState; pingMs: number | null } => {
  if (!record.get().shouldRun) return { link: 'stopped', pingMs: null };
  const { login } = live.view;
  return live.isAlive() && login.state === 'in' ? { link: 'up', pingMs: login.pingMs } : { link: 'down', pingMs: null };
};

/** The terminal's current usage; undefined before its installation. */
const measureTerminal = async (
  parts: MeasuredParts,
  { processes, size }: { processes: Pick<Processes, 'measure'>; size: FolderSize },
): Promise<TerminalLoad | undefined> => {
  if (!parts.record.get().isInstalled) return undefined;
  const diskBytes = size.look();
  const { memoryBytes = null, cpuMs = null } = (await processes.measure?.()) ?? {};
  const { view } = parts.live;
  return { ...toLink(parts), memoryBytes, cpuMs, diskBytes, build: parts.live.isAlive() ? view.build : null };
};

/** A MetaTrader terminal on this host. */
export class MetaTraderTerminal implements TerminalDriver {
  readonly #parts: TerminalParts;
  readonly #log: Logger;
  readonly #size: FolderSize;
  readonly #processes: Processes;
  readonly #charts: SeenCharts;

  private constructor(parts: TerminalParts, log: Logger) {
    this.#parts = parts;
    const { box, edition, home, launcher } = parts;
    this.#size = new FolderSize(box.folder);
    this.#charts = new SeenCharts(parts);
    this.#processes = launcher.processes(box, edition.toProgram(home.root));
    this.#log = log;
  }

  static async open({ id, folder, edition, launcher, log }: TerminalOptions): Promise<MetaTraderTerminal> {
    const box = launcher.toBox(folder);
    const home = toTerminalHome(box, edition, launcher);
    const record = await RecordFile.open(join(folder, RECORD_FILE), edition.platform);
    const observations = new Observations();
    const window = edition.window(launcher.screen(box));
    const live = new LiveTerminal({ home, box, edition, launcher, window, record, observations, log });
    return new MetaTraderTerminal({ id, home, edition, launcher, box, window, record, live, observations }, log);
  }

  get terminalId(): string {
    return this.#parts.id;
  }

  carryOut(context: AttemptContext): Promise<AttemptOutcome> {
    return carryOut(this.#parts, context);
  }

  async reattach(): Promise<boolean> {
    const { record, live } = this.#parts;
    return record.get().isInstalled && (await live.reattach());
  }

  shouldRun(): boolean {
    const { isInstalled, shouldRun } = this.#parts.record.get();
    return isInstalled && shouldRun;
  }

  isAlive(): boolean {
    return this.#parts.live.isAlive();
  }

  async restart(signal?: AbortSignal): Promise<void> {
    // A task, or the terminal itself after an update, may have started it since it was seen dead.
    if (this.isAlive() || (await this.#parts.live.reattach())) return;
    await this.#parts.live.launch(signal ? { signal } : {});
    await this.#restoreWebRequestUrls();
  }

  observe(): Observation | undefined {
    return this.#parts.observations.get();
  }

  onObservation(listener: (observation: Observation) => void): () => void {
    return this.#parts.observations.listen(listener);
  }

  measure(): Promise<TerminalLoad | undefined> {
    return measureTerminal(this.#parts, { processes: this.#processes, size: this.#size });
  }

  lookAtCharts(): Promise<TerminalChart[] | undefined> {
    return this.#charts.look();
  }

  checkSwitch(): Promise<string | null> {
    return checkSwitch(this.#parts);
  }

  findExchange(): AccountExchange | undefined {
    const { record, home, edition, live } = this.#parts;
    if (!record.get().isInstalled) return undefined;
    const folder = `${edition.dialect.layout.programs}/Files/Berth`;
    return { files: home.files, folder, findAccount: () => live.accounts.get() };
  }

  async stop(): Promise<void> {
    await this.#parts.live.stop();
    this.detach();
  }

  detach(): void {
    this.#parts.live.detach();
  }

  /** The terminal saves the list at a polite stop only, so a crash may have lost entries. */
  async #restoreWebRequestUrls(): Promise<void> {
    const { window, record } = this.#parts;
    const wanted = record.get().webRequestUrls;
    if (wanted.length === 0) return;
    try {
      const present = await window.listWebRequestUrls();
      if (!wanted.every((url) => present.includes(url))) await window.setWebRequestUrls(wanted);
    } catch (error) {
      this.#log.warn({ err: error, terminalId: this.#parts.id }, 'the list of web addresses could not be restored');
    }
  }
}
