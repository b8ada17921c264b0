/**
 * The folder in which the agent and the session helper of the signed-in user exchange files. A request is a file of
 * JSON lines that appears atomically; the session helper takes it by renaming it and writes the answer next to it, also
 * atomically.
 *
 *   NAME.session or NAME.window ─ taken ─▶ NAME.session.taken ─ carried out ─▶ NAME.answer ─ read ─▶ nothing
 *        └──── nobody took it in time: the agent takes it back, and it is known that nothing was done
 *
 * A request that was taken may have been carried out, whether an answer comes or not. Terminals run as the same user as
 * the session helper, so any file here may be theirs: links are not followed, nothing blocks, and all reads are
 * limited.
 */
import { randomBytes } from 'node:crypto';
import { opendir, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep } from '@berth/kit';
import { LauncherError } from '../launcher.ts';
import { findPlainFile, OddFileError } from './plain-file.ts';

/** Who carries out a request: the session helper itself, in order, or a separate program, because windows may hang. */
export type RequestKind = 'session' | 'window';

/** The session helper's answer to one line. */
export type SessionAnswer =
  { ok: true; [member: string]: unknown } | { ok: false; error: string; message: string; [member: string]: unknown };

/** Nobody took the request: no session helper watches the folder. Nothing was done. */
export class NoSessionHelperError extends Error {
  override readonly name = 'NoSessionHelperError';
}

/** As in the window program; the limit of answers is for all lines together. */
const MAX_REQUEST_BYTES = 64 * 1024;
const MAX_ANSWER_BYTES = 260 * 1024;
const FIRST_POLL_MS = 5;
const MAX_POLL_MS = 50;
/** A killed agent leaves files behind; those of a running one are newer. */
const ABANDONED_MS = 10 * 60_000;
const MAX_SWEPT_ENTRIES = 10_000;
const OURS = /^\d{15}-[0-9a-f]{8}\.(session|window|answer|bmp|draft)(\.[a-z]+)?$/;

/** @returns undefined where it is not an answer */
const findAnswer = (line: string): SessionAnswer | undefined => {
  try {
    const value = JSON.parse(line) as Record<string, unknown> | null;
    if (value === null || typeof value !== 'object') return undefined;
    if (value.ok === true) return { ...value, ok: true };
    if (value.ok !== false || typeof value.error !== 'string') return undefined;
    return { ...value, ok: false, error: value.error, message: typeof value.message === 'string' ? value.message : '' };
  } catch {
    return undefined;
  }
};

const notUnderstood = (cause?: unknown): LauncherError =>
  new LauncherError('screen', 'The session helper gave an answer that is not understood.', { cause });

/** One line for each request up to the first that was refused; anything else is not an answer. */
const readAnswers = (text: string, count: number): SessionAnswer[] => {
  const lines = text.split('\n').filter((line) => line !== '');
  if (lines.length > count) throw notUnderstood();
  const answers = lines.map((line) => {
    const answer = findAnswer(line);
    if (!answer) throw notUnderstood();
    return answer;
  });
  if (answers.length < count && answers.at(-1)?.ok !== false) throw notUnderstood();
  return answers;
};

export interface AskOptions {
  /** Until a session helper has taken the request. */
  takeMs: number;
  /** From then on, until it has answered. */
  answerMs: number;
}

/** Requests of one agent to one session helper. */
export class SessionFolder {
  readonly path: string;
  #lastMs = 0;
  #swept: Promise<void> | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /** A unique name that sorts after all earlier ones: the session helper answers in the order of names. */
  createName(): string {
    this.#lastMs = Math.max(Date.now(), this.#lastMs + 1);
    return `${String(this.#lastMs).padStart(15, '0')}-${randomBytes(4).toString('hex')}`;
  }

  /**
   * @returns one answer for each request, up to the first that is refused. Throws a NoSessionHelperError when nobody
   *   takes the request, and a LauncherError (`screen`) when no answer comes: then it is unknown what was done.
   */
  async ask(kind: RequestKind, requests: readonly object[], options: AskOptions): Promise<SessionAnswer[]> {
    await (this.#swept ??= this.#sweep());
    const text = requests.map((request) => `${JSON.stringify(request)}\n`).join('');
    if (Buffer.byteLength(text) > MAX_REQUEST_BYTES) throw new Error('A request to the session helper is too long');
    const name = this.createName();
    const request = join(this.path, `${name}.${kind}`);
    await this.#put(request, name, text);
    const answer = await this.#waitForAnswer(name, request, options);
    return readAnswers(answer, requests.length);
  }

  async #put(request: string, name: string, text: string): Promise<void> {
    const draft = join(this.path, `${name}.draft`);
    try {
      await writeFile(draft, text, { flag: 'wx' });
      await rename(draft, request);
    } catch (error) {
      await rm(draft, { force: true }).catch(() => undefined);
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'EACCES' && code !== 'EPERM') throw error;
      const text = `The agent cannot write into ${this.path}. Prepare this host as docs/windows-hosts.md says.`;
      throw new LauncherError('missing', text, { cause: error });
    }
  }

  async #waitForAnswer(name: string, request: string, { takeMs, answerMs }: AskOptions): Promise<string> {
    const path = join(this.path, `${name}.answer`);
    const begin = performance.now();
    let isTaken = false;
    let pollMs = FIRST_POLL_MS;
    for (;;) {
      const answer = await this.#findAnswerFile(path);
      if (answer !== undefined) return answer;
      const waitedMs = performance.now() - begin;
      isTaken ||= waitedMs >= takeMs && !(await this.#takeBack(request));
      if (isTaken && waitedMs >= takeMs + answerMs) {
        throw new LauncherError('screen', 'The session helper has taken a request and does not answer.');
      }
      await sleep(pollMs);
      pollMs = Math.min(pollMs * 1.5, MAX_POLL_MS);
    }
  }

  /** @returns false when the session helper had already taken it. Throws when it had not. */
  async #takeBack(request: string): Promise<boolean> {
    try {
      await unlink(request);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
    throw new NoSessionHelperError(`Nobody answers in ${this.path}`);
  }

  async #findAnswerFile(path: string): Promise<string | undefined> {
    try {
      return (await findPlainFile(path, MAX_ANSWER_BYTES, { isRemoved: true }))?.toString('utf8');
    } catch (error) {
      if (!(error instanceof OddFileError)) throw error;
      throw notUnderstood(error);
    }
  }

  /** Removes answers that earlier agents did not live to read. Names that are not ours are left alone. */
  async #sweep(): Promise<void> {
    const folder = await opendir(this.path).catch(() => undefined);
    if (!folder) return;
    let entries = 0;
    for await (const { name } of folder) {
      entries += 1;
      if (entries > MAX_SWEPT_ENTRIES) return;
      if (!OURS.test(name)) continue;
      const path = join(this.path, name);
      const found = await stat(path).catch(() => undefined);
      if (found && Date.now() - found.mtimeMs > ABANDONED_MS) await rm(path, { force: true }).catch(() => undefined);
    }
  }
}
