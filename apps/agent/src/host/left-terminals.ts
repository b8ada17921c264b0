/**
 * Files of terminals that live on another host now: the server's heartbeats name them, and they are removed. Each was
 * stopped here before it left, and does not come back before the server has heard that its files are gone. Should one be
 * meant to run all the same, it is left alone.
 */
import { MAX_LEFT_TERMINALS } from '@berth/contract/agent';
import { TaskType, TerminalStatus } from '@berth/contract/values';
import type { Logger } from '@berth/kit';
import type { PlatformRegistry, TaskFiles, TerminalDriver } from '../platforms/driver.ts';
import type { TerminalKeeper, TerminalName } from '../terminals/terminal-keeper.ts';

export interface LeftTerminalsOptions {
  registry: Pick<PlatformRegistry, 'listInstalled'>;
  keeper: Pick<TerminalKeeper, 'run'>;
  /** Called when the files of one are gone. */
  onRemoved: (terminalId: string) => void;
  log: Logger;
}

const noFiles = (): Promise<never> => Promise.reject(new Error('a removal transfers no files'));
const files: TaskFiles = { download: noFiles, upload: noFiles };

export class LeftTerminals {
  readonly #options: LeftTerminalsOptions;
  readonly #removing = new Set<string>();
  readonly #removed = new Set<string>();

  constructor(options: LeftTerminalsOptions) {
    this.#options = options;
  }

  /** Those whose files are gone, which the server does not know yet. */
  list(): string[] {
    return [...this.#removed].slice(0, MAX_LEFT_TERMINALS);
  }

  /** @param confirmed what the heartbeat had listed. @param left what its answer names */
  note(confirmed: readonly string[], left: readonly string[], signal: AbortSignal): void {
    for (const id of confirmed) this.#removed.delete(id);
    const news = left.filter((id) => !this.#removing.has(id) && !this.#removed.has(id));
    if (news.length === 0) return;
    for (const id of news) this.#removing.add(id);
    void this.#removeAll(news, signal);
  }

  async #removeAll(ids: readonly string[], signal: AbortSignal): Promise<void> {
    const { registry, log } = this.#options;
    try {
      const installed = new Map((await registry.listInstalled()).map((terminal) => [terminal.id, terminal]));
      for (const id of ids) {
        const terminal = installed.get(id);
        if (!terminal || (await this.#remove(terminal, signal))) this.#removed.add(id);
      }
    } catch (error) {
      log.warn({ err: error }, 'what terminals left here could not be removed; it is tried again');
    } finally {
      for (const id of ids) this.#removing.delete(id);
    }
  }

  /** @returns whether nothing of it is left */
  async #remove(terminal: TerminalName, signal: AbortSignal): Promise<boolean> {
    const { keeper, onRemoved, log } = this.#options;
    let isGone = false;
    await keeper.run(terminal, async (driver) => {
      if (driver.shouldRun() || driver.isAlive())
        return log.error({ terminal_id: terminal.id }, 'a terminal that left runs');
      isGone = await this.#destroy(terminal, driver, signal);
    });
    if (isGone) onRemoved(terminal.id);
    return isGone;
  }

  async #destroy({ id, platform }: TerminalName, driver: TerminalDriver, signal: AbortSignal): Promise<boolean> {
    const status = TerminalStatus.DESTROYING;
    const terminal = { id, platform, status, server_name: '', login: '' };
    const type = TaskType.TERMINAL_DESTROY;
    const task = { id, fence: 1, type, terminal, payload: {}, secrets: {}, running_deadline_ms: 0 };
    const log = this.#options.log.child({ terminal_id: id });
    const { kind } = await driver.carryOut({ task, files, signal, log });
    log.info({ kind }, 'the files of a terminal that left were removed');
    return kind === 'completed';
  }
}
