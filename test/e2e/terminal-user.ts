/** A user of the interface, for tests: creates terminals, runs tasks, waits for what the service says. */
import {
  TaskStatus,
  TaskType,
  type Task,
  type TaskStep,
  type TaskTypeName,
  type Terminal,
  type TerminalItem,
  type TerminalDetails,
} from '@berth/contract';
import { waitFor, type TestClient } from '@berth/testing';

export interface EndedTask extends Omit<Task, 'result'> {
  result: { runner_result: TaskStep[]; status: number };
  /** Data of the last step. */
  data: Record<string, unknown>;
}

const TASK_TIMEOUT_MS = 120_000;

export class TerminalUser {
  readonly client: TestClient;
  readonly token: string;

  constructor(client: TestClient, token: string) {
    this.client = client;
    this.token = token;
  }

  async call<Data>(method: string, path: string, body?: unknown): Promise<Data> {
    const answer = await this.client.request(method, path, { token: this.token, body });
    if (answer.status !== 200)
      throw new Error(`${method} ${path} answered ${answer.status}: ${answer.bytes.toString()}`);
    return answer.body as Data;
  }

  async createTerminal(input: Record<string, unknown>): Promise<TerminalItem> {
    const { data } = await this.call<{ data: TerminalItem }>('POST', '/v1/my/trading/terminals', input);
    return data;
  }

  async getTerminal(id: string): Promise<Terminal> {
    return (await this.call<{ data: Terminal }>('GET', `/v1/my/trading/terminals/${id}`)).data;
  }

  /** With what is known of it at the moment. */
  async getDetails(id: string): Promise<TerminalDetails> {
    return (await this.call<{ data: TerminalDetails }>('GET', `/v1/my/trading/terminals/${id}?include=details`)).data;
  }

  /** Waits until the terminal has one of the statuses. */
  async waitForStatus(id: string, ...names: string[]): Promise<Terminal> {
    return waitFor(
      async () => {
        const terminal = await this.getTerminal(id);
        return names.includes(terminal.status_name) && terminal;
      },
      { what: `terminal ${id} ${names.join(' or ')}`, timeoutMs: TASK_TIMEOUT_MS },
    );
  }

  async createTask(terminalId: string, type: TaskTypeName, payload?: Record<string, unknown>): Promise<string> {
    const path = `/v1/my/trading/terminals/${terminalId}/tasks`;
    const answer = await this.call<{ ok: boolean; msg: string; data: { id: string } }>('POST', path, {
      type: TaskType[type],
      ...(payload ? { payload } : {}),
    });
    if (!answer.ok) throw new Error(`${type} was refused: ${answer.msg}`);
    return answer.data.id;
  }

  async getTask(terminalId: string, taskId: string): Promise<EndedTask> {
    const path = `/v1/my/trading/terminals/${terminalId}/tasks/${taskId}`;
    const { data } = await this.call<{ data: { task: Omit<EndedTask, 'data'> } }>('GET', path);
    return { ...data.task, data: data.task.result.runner_result.at(-1)?.data ?? {} };
  }

  /** Waits for the end of a task, whatever it is. */
  async waitForEnd(terminalId: string, taskId: string): Promise<EndedTask> {
    return waitFor(
      async () => {
        const task = await this.getTask(terminalId, taskId);
        return task.status >= TaskStatus.COMPLETED && task;
      },
      { what: `the end of task ${taskId}`, timeoutMs: TASK_TIMEOUT_MS },
    );
  }

  /** Creates a task and waits for its end, which must be COMPLETED. */
  async run(terminalId: string, type: TaskTypeName, payload?: Record<string, unknown>): Promise<EndedTask> {
    const task = await this.waitForEnd(terminalId, await this.createTask(terminalId, type, payload));
    if (task.status !== TaskStatus.COMPLETED)
      throw new Error(`${type} ended with ${task.status}: ${JSON.stringify(task.result)}`);
    return task;
  }

  async upload(name: string, content: Buffer): Promise<{ id: string; sha256: string }> {
    const headers = { 'content-type': 'application/octet-stream' };
    const options = { token: this.token, body: content, headers };
    const answer = await this.client.request('POST', `/v1/my/files?name=${encodeURIComponent(name)}`, options);
    if (answer.status !== 200) throw new Error(`the upload answered ${answer.status}: ${answer.bytes.toString()}`);
    return (answer.body as { data: { id: string; sha256: string } }).data;
  }

  async download(url: string): Promise<Buffer> {
    const answer = await this.client.request('GET', new URL(url).pathname, { token: this.token });
    if (answer.status !== 200) throw new Error(`the download answered ${answer.status}`);
    return answer.bytes;
  }
}
