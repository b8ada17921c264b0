/**
 * Who uses the API in tests, with `@berth/client` as any program does: creates terminals, runs tasks, and waits for their
 * end, whatever it is. What a test needs besides is asked of `berth` itself.
 */
import { Berth, NotFoundError, TaskFailedError, type CreatableTaskName } from '@berth/client';
import type { Task, TaskStep, Terminal, TerminalItem, TerminalStatusName } from '@berth/contract';
import { waitFor } from '@berth/testing';

export interface EndedTask extends Omit<Task, 'result'> {
  result: { runner_result: TaskStep[]; status: number };
  /** Data of the last step. */
  data: Record<string, unknown>;
}

/** What an expert of the sandbox does: it sets the price. */
export const setPrice = (seconds: number, price: string) => ({
  after_seconds: seconds,
  set_price: { symbol: 'EURUSD', price },
});

type NewTerminal = Parameters<Berth['terminals']['create']>[0];
/** The host's checks are tested, too: a payload need not be one that the client's types allow. */
type Payload = Record<string, unknown>;

const WAIT_MS = 120_000;

const toEnded = (task: Task): EndedTask => {
  const result = task.result as EndedTask['result'];
  return { ...task, result, data: result.runner_result.at(-1)?.data ?? {} };
};

export class TerminalUser {
  readonly berth: Berth;
  /** For requests that the client would not send. */
  readonly token: string;

  constructor(baseUrl: string, token: string, send?: typeof fetch) {
    this.berth = new Berth({ baseUrl, token, fetch: send });
    this.token = token;
  }

  createTerminal(order: NewTerminal): Promise<TerminalItem> {
    return this.berth.terminals.create(order);
  }

  getTerminal(id: string): Promise<Terminal> {
    return this.berth.terminals.get(id);
  }

  /** Waits until the terminal has one of the statuses. */
  waitForStatus(id: string, ...names: TerminalStatusName[]): Promise<Terminal> {
    return this.berth.terminals.waitFor(id, names, { waitMs: WAIT_MS });
  }

  /** A terminal of the sandbox that may trade. @returns its id */
  async createTrader(login: string): Promise<string> {
    const account = { server_name: 'Harbour-Demo', login, password: 'trade-me' };
    const { id } = await this.createTerminal({ ...account, region: 0 });
    await this.waitForStatus(id, 'ACTIVE');
    await this.run(id, 'OPTIONS_AUTO_TRADE', { allow_algo_trading: 1 });
    return id;
  }

  /** Installs an expert that trades once as the actions say. */
  async trade(id: string, actions: object[]): Promise<void> {
    const script = { sandbox_expert: 1, repeat: false, actions };
    const { id: file_id } = await this.upload('Trader.ex5', Buffer.from(JSON.stringify(script)));
    const place = { name: 'Trader', symbol: 'EURUSD', period: 'M15', allow_algo_trading: 1, file_id };
    await this.run(id, 'EA_INSTALL', place);
  }

  /** Waits until a destroyed terminal is known no more. */
  async waitUntilGone(id: string): Promise<void> {
    const find = () =>
      this.getTerminal(id).catch((error: unknown) => {
        if (!(error instanceof NotFoundError)) throw error;
      });
    await waitFor(async () => (await find()) === undefined, {
      what: `the end of the terminal ${id}`,
      timeoutMs: WAIT_MS,
    });
  }

  async createTask(terminalId: string, type: CreatableTaskName, payload: Payload = {}): Promise<string> {
    return (await this.berth.tasks.create(terminalId, type, payload)).id;
  }

  async getTask(terminalId: string, taskId: string): Promise<EndedTask> {
    return toEnded(await this.berth.tasks.get(terminalId, taskId));
  }

  /** Waits for the end of a task, whatever it is. */
  async waitForEnd(terminalId: string, taskId: string): Promise<EndedTask> {
    try {
      const { task } = await this.berth.tasks.waitFor(terminalId, taskId, { waitMs: WAIT_MS });
      return toEnded(task);
    } catch (error) {
      if (error instanceof TaskFailedError) return toEnded(error.task);
      throw error;
    }
  }

  /** Creates a task and waits for its end, which must be COMPLETED. */
  async run(terminalId: string, type: CreatableTaskName, payload: Payload = {}): Promise<EndedTask> {
    const { task } = await this.berth.tasks.run(terminalId, type, payload, { waitMs: WAIT_MS });
    return toEnded(task);
  }

  async upload(name: string, content: Buffer): Promise<{ id: string; sha256: string }> {
    return this.berth.files.upload(name, new Uint8Array(content));
  }

  /** @param url of a file, as a task names it */
  async download(url: string): Promise<Buffer> {
    const id = new URL(url).pathname.split('/').at(-2) ?? '';
    return Buffer.from((await this.berth.files.content(id)).bytes);
  }
}
