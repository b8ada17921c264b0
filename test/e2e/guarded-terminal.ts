/** A terminal that a risk rule watches, and its owner's phone, which moves prices and trades on the same account. */
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NewRiskRule, RiskBreach, RiskRule, RiskState } from '@berth/client';
import { SandboxPhone, waitFor, type TestStack } from '@berth/testing';
import { TerminalUser } from './terminal-user.ts';

const TIMEOUT_MS = 120_000;
const SERVER = 'Harbour-Demo';

/** Where the trading server of the stack's local hosts listens. */
export const findTradingServer = (stack: TestStack): string =>
  readFileSync(join(stack.dataDir, 'sandbox', 'network'), 'utf8').trim();

interface StoredBreach {
  report: { id: string };
}

/** Of a terminal on this machine. */
export interface TerminalPlace {
  /** Its installation. */
  folder: string;
  pid: number;
}

export interface GuardedTerminalOptions {
  /** Where its phone connects to; otherwise the trading server of the stack's local hosts. */
  broker?: string;
  /** Where it runs; otherwise on the sandbox. */
  order?: { region: number; platform: string };
  findPlace?: (id: string) => Promise<TerminalPlace>;
}

export class GuardedTerminal {
  readonly user: TerminalUser;
  readonly id: string;
  readonly phone: SandboxPhone;
  /** Another one, of the same account. */
  readonly openPhone: () => Promise<SandboxPhone>;
  readonly #stack: TestStack;
  readonly #folder: string;
  readonly #findPid: () => Promise<number>;

  private constructor(
    stack: TestStack,
    { user, id, phone, openPhone }: Pick<GuardedTerminal, 'user' | 'id' | 'phone' | 'openPhone'>,
    place: { folder: string; findPid: () => Promise<number> },
  ) {
    this.#stack = stack;
    this.user = user;
    this.id = id;
    this.phone = phone;
    this.openPhone = openPhone;
    this.#folder = place.folder;
    this.#findPid = place.findPid;
  }

  /** A terminal of a new user, with a demo account of 100,000.00. */
  static async create(stack: TestStack, options: GuardedTerminalOptions = {}): Promise<GuardedTerminal> {
    const { broker = findTradingServer(stack), order = { region: 0 } } = options;
    const user = new TerminalUser(stack.url, (await stack.register('Owner')).token);
    const { login, password } = await SandboxPhone.openDemo(broker, { server: SERVER, balance: 100_000 });
    const { id } = await user.createTerminal({ server_name: SERVER, login, password, ...order });
    const { path } = await user.waitForStatus(id, 'ACTIVE');
    const findOnSandbox = async (): Promise<TerminalPlace> => {
      const found = stack.processes('terminal').find(({ folder }) => folder === path);
      if (!found) throw new Error(`No terminal runs in ${path}.`);
      return found;
    };
    const findPlace = () => options.findPlace?.(id) ?? findOnSandbox();
    const openPhone = () => SandboxPhone.logIn(broker, { server: SERVER, login, password });
    const phone = await openPhone();
    await user.run(id, 'OPTIONS_AUTO_TRADE', { allow_algo_trading: 1 });
    const { folder } = await findPlace();
    return new GuardedTerminal(
      stack,
      { user, id, phone, openPhone },
      { folder, findPid: async () => (await findPlace()).pid },
    );
  }

  /** A limit of 5,000.00 a day from the balance; resolves once the host watches. */
  async addRule(settings: Partial<NewRiskRule> = {}): Promise<RiskRule> {
    const { berth } = this.user;
    const limit = { kind: 'daily_loss', amount: '5000.00', basis: 'balance', time_zone: 'UTC' } as const;
    const rule = await berth.riskRules.create({
      ...{ name: 'Daily loss', terminal_ids: [this.id], actions: ['close_all', 'notify'], ...limit },
      ...settings,
    });
    await this.waitForState(rule, ({ is_watched, day_start }) => is_watched && day_start === '100000.00');
    return rule;
  }

  setPrice(symbol: string, price: string): Promise<unknown> {
    return this.phone.trade({ action: 'set_price', symbol, price });
  }

  /** Buys at the market. */
  async open(symbol: string, volume: string): Promise<void> {
    const { retcode, message } = await this.phone.trade({ action: 'open', side: 'buy', symbol, volume });
    if (retcode !== 10_009) throw new Error(message);
  }

  async placeBuyLimit(symbol: string, volume: string, price: string): Promise<void> {
    const order = { order_type: 'buy_limit', symbol, volume, price };
    const { retcode, message } = await this.phone.trade({ action: 'place', ...order });
    if (retcode !== 10_009) throw new Error(message);
  }

  /** How many positions the broker has closed. */
  async countClosed(): Promise<number> {
    return (await this.phone.listDeals()).filter(({ entry }) => entry === 'out').length;
  }

  /** What the rule has seen last, as the server knows it. */
  async waitForState({ id }: RiskRule, fits: (state: RiskState) => boolean): Promise<RiskState> {
    return waitFor(
      async () => {
        const [state] = await this.user.berth.riskRules.states(id).toArray();
        return state && fits(state) && state;
      },
      { what: 'the state of the rule', timeoutMs: TIMEOUT_MS },
    );
  }

  listBreaches(): Promise<RiskBreach[]> {
    return this.user.berth.riskBreaches.list().toArray();
  }

  /** The only breach, once it is so. */
  async waitForBreach(fits: (breach: RiskBreach) => boolean): Promise<RiskBreach> {
    return waitFor(
      async () => {
        const [breach, ...others] = await this.listBreaches();
        if (others.length > 0) throw new Error(`There are ${others.length + 1} breaches.`);
        return breach && fits(breach) && breach;
      },
      { what: 'the breach', timeoutMs: TIMEOUT_MS },
    );
  }

  /** Resolves when the broker has nothing open or pending. */
  async waitUntilEmpty(): Promise<void> {
    await waitFor(() => this.phone.state.positions_total + this.phone.state.orders_total === 0, {
      what: 'an empty account',
      timeoutMs: TIMEOUT_MS,
    });
  }

  /** What the terminal has written last. */
  readAccount(): Record<string, unknown> & { sequence: number; equity: string } {
    return JSON.parse(readFileSync(this.#toFile('account.json'), 'utf8')) as ReturnType<typeof this.readAccount>;
  }

  /** Writes what the terminal might have written next; it is to be frozen. */
  writeAccount(changes: Record<string, unknown>): void {
    const before = this.readAccount();
    const next = { ...before, sequence: before.sequence + 1, at: new Date().toISOString(), ...changes };
    writeFileSync(this.#toFile('account.tmp'), JSON.stringify(next));
    renameSync(this.#toFile('account.tmp'), this.#toFile('account.json'));
  }

  /** Actions of the commands that the terminal has not taken yet. */
  listCommands(): string[] {
    const names = readdirSync(this.#toFile('commands')).filter((name) => name.endsWith('.json'));
    return names.map((name) => {
      const text = readFileSync(this.#toFile(`commands/${name}`), 'utf8');
      return (JSON.parse(text) as { action: string }).action;
    });
  }

  /** @returns how to let it go on */
  async freeze(): Promise<() => void> {
    const pid = await this.#findPid();
    process.kill(pid, 'SIGSTOP');
    return () => void process.kill(pid, 'SIGCONT');
  }

  /**
   * Lets EURUSD fall to where the rule acts, and freezes the terminal before it does anything of what the guard asks for.
   * @returns how to let it go on
   */
  async breachFrozen(price: string, limit = 95_000): Promise<() => void> {
    const agents = this.#stack.processes('agent').map(({ pid }) => pid);
    for (const pid of agents) process.kill(pid, 'SIGSTOP');
    await this.setPrice('EURUSD', price);
    await waitFor(() => Number(this.readAccount().equity) <= limit, { what: 'the loss' });
    const thaw = await this.freeze();
    for (const pid of agents) process.kill(pid, 'SIGCONT');
    return thaw;
  }

  /** The folder of its host. */
  get hostFolder(): string {
    return join(this.#folder.slice(0, this.#folder.indexOf(this.id)), '..');
  }

  /** The breach that the agent has on its disk. */
  waitForStored(): Promise<StoredBreach['report']> {
    const path = join(this.hostFolder, 'risk', `${this.id}.json`);
    return waitFor(
      () => (JSON.parse(readFileSync(path, 'utf8')) as { content: { breaches: StoredBreach[] } }).content.breaches[0],
      { what: 'a breach on the disk', timeoutMs: TIMEOUT_MS },
    ).then(({ report }) => report);
  }

  #toFile(name: string): string {
    return join(this.#folder, 'MQL5/Files/Berth', name);
  }
}
