import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProcess, isProcessAlive, sleep, type ProcessIdentity } from '@berth/kit';
import { TaskType, TerminalStatus, type ObservableStatus, type TerminalChart } from '@berth/contract';
import type {
  AttemptContext,
  AttemptOutcome,
  Observation,
  OfferDescription,
  PlatformRegistry,
  TerminalDriver,
  TerminalLoad,
} from '../../src/platforms/driver.ts';

const step = (name: string, data: Record<string, unknown> = {}) => ({
  step: name,
  ok: true,
  code: null,
  message: '',
  at: new Date().toISOString(),
  data,
});

/** What terminals are found to take and to have. */
interface Eyes {
  measure?: ((terminalId: string) => Promise<TerminalLoad | undefined>) | undefined;
  look?: ((terminalId: string) => Promise<TerminalChart[] | undefined>) | undefined;
  checkSwitch?: ((terminalId: string) => Promise<string | null>) | undefined;
}

/**
 * A terminal whose program is `sleep`. Every attempt writes a line to `runs` when it starts, so that a test can count them.
 * Payload: `ms` (how long the attempt takes), `stubborn` (ignores the abort), `throws`, `password` (a secret it brings up).
 */
export class SleepTerminal implements TerminalDriver {
  readonly terminalId: string;
  readonly #folder: string;
  readonly #listeners = new Set<(observation: Observation) => void>();
  #seen: Observation | undefined;
  measure?: () => Promise<TerminalLoad | undefined>;
  lookAtCharts?: () => Promise<TerminalChart[] | undefined>;
  checkSwitch?: () => Promise<string | null>;

  constructor(terminalId: string, folder: string, { measure, look, checkSwitch }: Eyes = {}) {
    if (measure) this.measure = () => measure(terminalId);
    if (look) this.lookAtCharts = () => look(terminalId);
    if (checkSwitch) this.checkSwitch = () => checkSwitch(terminalId);
    this.terminalId = terminalId;
    this.#folder = folder;
    if (this.identity) this.#seen = { status: TerminalStatus.CONNECTING, reason: null };
  }

  get identity(): ProcessIdentity | undefined {
    const file = join(this.#folder, 'process.json');
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as ProcessIdentity) : undefined;
  }

  async carryOut({ task, signal, files }: AttemptContext): Promise<AttemptOutcome> {
    const { ms = 0, stubborn, throws, password, file } = task.payload;
    mkdirSync(this.#folder, { recursive: true });
    appendFileSync(join(this.#folder, '..', 'runs'), `${task.id} ${task.fence}\n`);
    if (throws) throw new Error('a defect of the driver');
    if (typeof ms === 'number') await sleep(ms, stubborn ? undefined : signal);
    if (signal.aborted && !stubborn)
      return { kind: 'failed', steps: [{ ...step('wait'), ok: false, code: 'E_TIMEOUT' }] };
    if (task.type === TaskType.TERMINAL_INSTALL) await this.restart();
    if (task.type === TaskType.TERMINAL_DESTROY) {
      await this.stop();
      rmSync(this.#folder, { recursive: true });
      this.#seen = undefined;
    }
    const data = typeof file === 'string' ? await files.upload('copy', await files.download(file)) : {};
    const secrets = typeof password === 'string' ? { secrets: { password } } : {};
    return { kind: 'completed', steps: [step('work', { ...data })], ...secrets };
  }

  async reattach(): Promise<boolean> {
    if (this.isAlive()) this.#observe(3);
    return this.isAlive();
  }

  shouldRun(): boolean {
    return this.identity !== undefined;
  }

  isAlive(): boolean {
    const { identity } = this;
    return identity !== undefined && isProcessAlive(identity);
  }

  async restart(): Promise<void> {
    const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore', cwd: this.#folder });
    await once(child, 'spawn');
    child.unref();
    const pid = child.pid ?? 0;
    const identity = findProcess(pid) ?? { pid, startedAt: 'ended' };
    writeFileSync(join(this.#folder, 'process.json'), JSON.stringify(identity));
    this.#observe(3);
  }

  observe(): Observation | undefined {
    return this.#seen;
  }

  onObservation(listener: (observation: Observation) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async stop(): Promise<void> {
    const { identity } = this;
    if (!identity || !this.isAlive()) return;
    process.kill(identity.pid, 'SIGKILL');
    while (this.isAlive()) await sleep(5);
    this.#observe(4);
  }

  detach(): void {
    this.#listeners.clear();
  }

  #observe(status: ObservableStatus): void {
    this.#seen = { status, reason: null, path: this.#folder };
    for (const listener of this.#listeners) listener(this.#seen);
  }
}

/** Keeps its terminals in sub-folders of one folder. */
export class SleepTerminals implements PlatformRegistry {
  readonly platforms = ['sandbox'] as const;
  readonly folder: string;
  /** What terminals that are opened from now on are found to take. */
  measure: Eyes['measure'];
  /** And which charts they have. */
  look: Eyes['look'];
  /** And what would keep algo trading from being turned off. */
  checkSwitch: Eyes['checkSwitch'];
  offers: OfferDescription[] = [];

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  async open({ id }: { id: string }): Promise<SleepTerminal> {
    return new SleepTerminal(id, join(this.folder, id), this);
  }

  async describe() {
    return this.offers;
  }

  async listInstalled() {
    return this.#ids().map((id) => ({ id, platform: 'sandbox' as const }));
  }

  /** `<task id> <fence>` of every attempt that was ever started. */
  listRuns(): string[] {
    const file = join(this.folder, 'runs');
    return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  }

  identityOf(terminalId: string): ProcessIdentity | undefined {
    return new SleepTerminal(terminalId, join(this.folder, terminalId)).identity;
  }

  isAlive(terminalId: string): boolean {
    return new SleepTerminal(terminalId, join(this.folder, terminalId)).isAlive();
  }

  /** Ends every process that the terminals of this folder left. */
  async killAll(): Promise<void> {
    for (const id of this.#ids()) await new SleepTerminal(id, join(this.folder, id)).stop();
  }

  #ids(): string[] {
    return readdirSync(this.folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [entry.name] : [],
    );
  }
}
