import { watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';
import { toText } from '../../wire/fields.ts';
import { toTradeRequest, type TradeRequest, type TradeResult } from '../../wire/trade-messages.ts';
import type { TradingDesk } from '../account/trading-desk.ts';
import type { ExchangeFiles } from './exchange-files.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Interval of scans where the system does not report new files. */
const LOOK_MS = 1_000;
const MAX_ANSWERS = 200;
/** Ending of a command that is being carried out. */
const TAKEN = '.taken';

const toResult = (message: string, retcode = 0): TradeResult => ({ retcode, message, order: null, deal: null });

/** What a command asks for; a refusal where it may not. Pure. */
const readCommand = (
  command: Record<string, unknown>,
  own: { login: string; server: string } | undefined,
  now: number,
): TradeRequest | TradeResult | 'remove_experts' => {
  if (!own || command.login !== own.login || command.server !== own.server) return toResult('another account');
  const expiresAt = Date.parse(toText(command.expires_at, 40) ?? '');
  if (!(expiresAt > now)) return toResult('expired');
  if (command.action === 'remove_experts') return 'remove_experts';
  const { ticket, volume } = command;
  const request =
    command.action === 'close_position'
      ? toTradeRequest({ action: 'close', ticket, volume })
      : command.action === 'delete_order'
        ? toTradeRequest({ action: 'delete', ticket })
        : undefined;
  return request ?? toResult('unknown action');
};

/**
 * Carries out the commands of the folder, one after another. Each is answered once, also over a restart: one that was
 * taken and has no answer may have been done, and is answered as ambiguous.
 */
export class Commands {
  readonly #files: ExchangeFiles;
  readonly #desk: TradingDesk;
  readonly #removeExperts: () => number;
  readonly #timer: NodeJS.Timeout;
  readonly #watcher: FSWatcher | undefined;
  #isBusy = false;
  #isClosed = false;

  constructor(files: ExchangeFiles, desk: TradingDesk, removeExperts: () => number) {
    this.#files = files;
    this.#desk = desk;
    this.#removeExperts = removeExperts;
    for (const id of files.list('commands', TAKEN)) {
      this.#answer(id, toResult('the terminal ended while it carried this out', 10_012));
    }
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    this.#watcher = this.#watch();
    this.#look();
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#watcher?.close();
  }

  #watch(): FSWatcher | undefined {
    try {
      const watcher = watch(join(this.#files.folder, 'commands'), () => this.#look());
      return watcher.on('error', () => watcher.close());
    } catch {
      return undefined;
    }
  }

  #look(): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    void this.#carryOutAll().finally(() => {
      this.#isBusy = false;
    });
  }

  async #carryOutAll(): Promise<void> {
    for (let ids = this.#listCommands(); ids.length > 0; ids = this.#listCommands()) {
      for (const id of ids) {
        if (this.#isClosed) return;
        await this.#carryOut(id);
      }
    }
  }

  #listCommands(): string[] {
    return this.#isClosed ? [] : this.#files.list('commands', '.json').filter((id) => UUID.test(id));
  }

  async #carryOut(id: string): Promise<void> {
    const command = this.#files.find(`commands/${id}.json`);
    if (!this.#files.move(`commands/${id}.json`, `commands/${id}${TAKEN}`)) return;
    if (this.#files.has(`answers/${id}.json`)) return this.#files.remove(`commands/${id}${TAKEN}`);
    const asked = readCommand(command?.id === id ? command : {}, this.#desk.state, Date.now());
    if (asked === 'remove_experts') this.#answer(id, toResult(String(this.#removeExperts()), 10_009));
    else this.#answer(id, 'retcode' in asked ? asked : await this.#desk.trade(asked));
  }

  #answer(id: string, { retcode, message, order, deal }: TradeResult): void {
    const at = new Date().toISOString();
    this.#files.write(`answers/${id}.json`, { v: 1, id, at, retcode, message, order, deal });
    this.#files.remove(`commands/${id}${TAKEN}`);
    this.#dropOldAnswers();
  }

  #dropOldAnswers(): void {
    const ids = this.#files.list('answers', '.json');
    if (ids.length <= MAX_ANSWERS) return;
    const answers = ids.map((id) => ({ id, at: String(this.#files.find(`answers/${id}.json`)?.at) }));
    answers.sort((one, other) => (one.at < other.at ? -1 : 1));
    for (const { id } of answers.slice(0, ids.length - MAX_ANSWERS)) this.#files.remove(`answers/${id}.json`);
  }
}
