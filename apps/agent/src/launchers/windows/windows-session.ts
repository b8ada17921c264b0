/**
 * The session helper: a program that runs in the session of the signed-in user, and does there what the agent, a
 * service without a screen, cannot: it starts terminals, lists and ends their processes, and operates their windows.
 */
import { join } from 'node:path';
import { Batcher } from '@berth/kit';
import { LauncherError, ScreenRefusal, type LauncherErrorKind } from '../launcher.ts';
import { SessionFolder, NoSessionHelperError, type SessionAnswer, type RequestKind } from './session-folder.ts';
import { findPlainFile } from './plain-file.ts';

/** A process of the user; its creation time tells it from a later one with the same number. */
export interface SessionProcess {
  pid: number;
  /** In units of 100 ns since 1601, as Windows counts; too large for a number. */
  created: string;
  /** Its executable. */
  path: string;
  /** Current memory, and CPU time so far. */
  memory_bytes: number;
  cpu_ms: number;
}

/** Selects processes: of one executable, or of all below a folder (which ends in a backslash), or in a job. */
export interface ProcessQuestion {
  path: string;
  job: string;
}

export interface ProcessList {
  processes: SessionProcess[];
  /** There are more than fit an answer. */
  isTruncated: boolean;
}

export interface SessionStart {
  program: string;
  /** The whole command line. */
  arguments: string;
  folder: string;
  environment: Readonly<Record<string, string>>;
  job: string;
  /** 0 where there is no limit. */
  limits: JobLimits;
}

/** Limits for the processes of one terminal together. 0 is no limit. */
export interface JobLimits {
  memoryMb: number;
  processes: number;
  /** Of one processor; 200 is two of them. */
  cpuPercent: number;
}

export interface SessionHelperOptions {
  /** As a path of the host. */
  folder: string;
  toWindowsPath: (path: string) => string;
  /** Starts the session helper in the user's session, as far as that is possible from outside of it. */
  startSessionHelper: () => Promise<void>;
}

/** A busy session helper takes a request within this time; a missing one is started in the meantime. */
const TAKE_MS = 2_000;
/** From its start to its first look at the folder, on a machine that is busy with a logon. */
const START_MS = 10_000;
const ANSWER_MS = 20_000;
/** A hung window costs the program 2 s for each message, and 20 s in total. */
const WINDOW_ANSWER_MS = 30_000;
const MAX_QUESTIONS = 50;

const NOBODY =
  'Nobody is signed in at this host, or the session helper does not run there. Sign in as the user of the terminals; ' +
  'docs/windows-hosts.md says how Windows does that by itself.';

const kinds: Partial<Record<string, LauncherErrorKind>> = { memory: 'memory', missing: 'missing', disk: 'disk' };

const toRefusal = ({ error, message }: SessionAnswer & { ok: false }): LauncherError => {
  const kind = kinds[error];
  return kind ? new LauncherError(kind, message) : new ScreenRefusal(error);
};

const isName = (value: unknown): value is Pick<SessionProcess, 'pid' | 'created'> => {
  const { pid, created } = (value ?? {}) as Record<string, unknown>;
  return Number.isSafeInteger(pid) && typeof created === 'string' && /^\d{1,20}$/.test(created);
};

const isAmount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

const isProcess = (value: unknown): value is SessionProcess => {
  const { path, memory_bytes, cpu_ms } = (value ?? {}) as Record<string, unknown>;
  return isName(value) && typeof path === 'string' && isAmount(memory_bytes) && isAmount(cpu_ms);
};

const toProcessList = (answer: SessionAnswer | undefined): ProcessList => {
  if (answer?.ok !== true || !Array.isArray(answer.processes) || !answer.processes.every(isProcess)) {
    throw new LauncherError('screen', 'The session helper did not say which processes run.');
  }
  return { processes: answer.processes, isTruncated: answer.truncated === true };
};

const toEnvironmentText = (environment: Readonly<Record<string, string>>): string => {
  const lines = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  if (lines.some((line) => /[\0\r\n]/.test(line))) throw new Error('An environment has neither NUL nor line breaks');
  return lines.join('\n');
};

/** One agent's requests to the session helper. */
export class SessionHelper {
  readonly #folder: SessionFolder;
  readonly #options: SessionHelperOptions;
  readonly #questions: Batcher<ProcessQuestion, ProcessList>;
  #starting: Promise<void> | undefined;

  constructor(options: SessionHelperOptions) {
    this.#options = options;
    this.#folder = new SessionFolder(options.folder);
    // All terminals of a host are polled repeatedly: concurrent lookups share a request.
    this.#questions = new Batcher((questions) => this.#listAll(questions), { maxItems: MAX_QUESTIONS });
  }

  /** Resolves when a session helper answers. */
  async ensure(): Promise<void> {
    await this.#ask('session', []);
  }

  /** @returns the process, as soon as it exists; it may end immediately */
  async start({ limits, environment, ...start }: SessionStart): Promise<{ pid: number; created: string }> {
    const answer = await this.#askOne('session', {
      op: 'start',
      ...start,
      environment: toEnvironmentText(environment),
      memory_mb: limits.memoryMb,
      processes: limits.processes,
      cpu_percent: limits.cpuPercent,
    });
    if (!isName(answer)) throw new LauncherError('screen', 'The session helper did not say what it has started.');
    return { pid: answer.pid, created: answer.created };
  }

  /** Lists processes of the user; the list is taken after the request that it answers. */
  listProcesses(question: ProcessQuestion): Promise<ProcessList> {
    return this.#questions.add(question);
  }

  /** Ends one process by force, if it is still the same. Resolves when it has ended, or when that takes too long. */
  async end({ pid, created }: { pid: number; created: string }): Promise<void> {
    await this.#askOne('session', { op: 'end', pid, created });
  }

  /** Ends all processes of a job by force. A job that does not exist has none. */
  async endJob(job: string): Promise<void> {
    await this.#askOne('session', { op: 'end_job', job });
  }

  /** Sends requests to windows, up to the first refusal, which is thrown as a ScreenRefusal. */
  async askWindows(requests: readonly object[], timeoutMs = WINDOW_ANSWER_MS): Promise<Record<string, unknown>[]> {
    const answers = await this.#ask('window', requests, timeoutMs);
    for (const answer of answers) if (!answer.ok) throw new ScreenRefusal(answer.error);
    return answers;
  }

  /** An image of one window with its dialogs. @returns a bitmap */
  async capture(window: string, maxBytes: number): Promise<Buffer> {
    const path = join(this.#options.folder, `${this.#folder.createName()}.bmp`);
    await this.#askOne('window', { op: 'capture', window, file: this.#options.toWindowsPath(path) });
    const image = await findPlainFile(path, maxBytes, { isRemoved: true }).catch((cause: unknown) => {
      throw new LauncherError('screen', 'The image of the window cannot be read.', { cause });
    });
    if (!image) throw new LauncherError('screen', 'The session helper made no image of the window.');
    return image;
  }

  async #listAll(questions: ProcessQuestion[]): Promise<ProcessList[]> {
    const requests = questions.map((question) => ({ op: 'processes', ...question }));
    return (await this.#ask('session', requests)).map(toProcessList);
  }

  async #askOne(kind: RequestKind, request: object): Promise<Record<string, unknown>> {
    const [answer] = await this.#ask(kind, [request]);
    if (answer?.ok !== true)
      throw answer ? toRefusal(answer) : new LauncherError('screen', 'The session helper said nothing.');
    return answer;
  }

  async #ask(kind: RequestKind, requests: readonly object[], answerMs = ANSWER_MS): Promise<SessionAnswer[]> {
    try {
      return await this.#folder.ask(kind, requests, { takeMs: TAKE_MS, answerMs });
    } catch (error) {
      if (!(error instanceof NoSessionHelperError)) throw error;
    }
    await this.#startSessionHelper();
    try {
      return await this.#folder.ask(kind, requests, { takeMs: START_MS, answerMs });
    } catch (error) {
      throw error instanceof NoSessionHelperError ? new LauncherError('missing', NOBODY, { cause: error }) : error;
    }
  }

  /** One start for all that wait for it. If it does not start, nobody gets an answer. */
  async #startSessionHelper(): Promise<void> {
    this.#starting ??= this.#options.startSessionHelper().finally(() => (this.#starting = undefined));
    await this.#starting.catch(() => undefined);
  }
}
