import { createHash } from 'node:crypto';
import { MAX_FILE_BYTES, type DeliveredTask } from '@berth/contract/agent';
import type { TaskFiles } from '../platforms/driver.ts';
import { BrokenAnswerError, type Answer } from './http-exchange.ts';
import { readUpload, type UploadedFile } from './server-answers.ts';
import { toForeignError } from './server-error.ts';
import { assertSuccess, toJsonAnswer, type Transport } from './server-transport.ts';

/** For a file that makes no progress; otherwise it takes its time. */
const FILE_TIMEOUT_MS = 60_000;

export interface ServerFilesOptions {
  transport: Transport;
  bearer: string;
  task: DeliveredTask;
  signal: AbortSignal;
}

const toSha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/** The files of one attempt. A partial download is kept for the next try. */
export class ServerFiles implements TaskFiles {
  readonly #options: ServerFilesOptions;
  readonly #folder: string;
  readonly #downloads = new Map<string, Download>();

  constructor(options: ServerFilesOptions) {
    this.#options = options;
    this.#folder = `v1/agent/tasks/${encodeURIComponent(options.task.id)}/files`;
  }

  async download(fileId: string): Promise<Buffer> {
    const { transport, bearer, signal } = this.#options;
    const path = `${this.#folder}/${encodeURIComponent(fileId)}`;
    const download = this.#downloads.get(fileId) ?? new Download(path);
    this.#downloads.set(fileId, download);
    const limits = { timeoutMs: FILE_TIMEOUT_MS, maxAnswerBytes: MAX_FILE_BYTES - download.sizeBytes, signal };
    const call = { ...limits, path, method: 'GET', body: '', headers: download.toHeaders() } as const;
    const answer = await transport.send(call, bearer).catch((error: unknown) => {
      if (error instanceof BrokenAnswerError) download.take(error.answer);
      throw error;
    });
    const content = download.finish(answer);
    this.#downloads.delete(fileId);
    return content;
  }

  async upload(name: string, content: Buffer): Promise<UploadedFile> {
    const { transport, bearer, signal, task } = this.#options;
    const path = `${this.#folder}?name=${encodeURIComponent(name)}&fence=${task.fence}`;
    const contentType = 'application/octet-stream';
    const answer = await transport.send(
      { path, body: content, contentType, timeoutMs: FILE_TIMEOUT_MS, signal },
      bearer,
    );
    const sent = { sha256: toSha256(content), sizeBytes: content.length };
    return readUpload(toJsonAnswer(this.#folder, answer), sent);
  }
}

/** The hash that Berth sends as the file's ETag; any other tag is not Berth's. */
const findSha256 = ({ headers }: Answer): string | undefined => /^"([0-9a-f]{64})"$/.exec(headers.etag ?? '')?.[1];

/** A download, over as many tries as it takes: each resumes where the last one broke off. */
class Download {
  readonly #call: string;
  #sha256: string | undefined;
  #content: Buffer = Buffer.alloc(0);

  constructor(call: string) {
    this.#call = call;
  }

  get sizeBytes(): number {
    return this.#content.length;
  }

  /** Requests the rest of the very same content, or all of the current one. */
  toHeaders(): Record<string, string> {
    if (this.#sha256 === undefined || this.#content.length === 0) return {};
    return { range: `bytes=${this.#content.length}-`, 'if-range': `"${this.#sha256}"` };
  }

  /** Adds what was received, if it is a part of the file. */
  take(answer: Answer): void {
    const sha256 = findSha256(answer);
    const from = answer.status === 206 ? /^bytes (\d+)-/.exec(answer.headers['content-range'] ?? '')?.[1] : undefined;
    if (answer.status === 206 && sha256 !== undefined && sha256 === this.#sha256) {
      if (Number(from) === this.#content.length) this.#content = Buffer.concat([this.#content, answer.body]);
    } else if (answer.status === 200 && sha256 !== undefined) {
      this.#sha256 = sha256;
      this.#content = answer.body;
    }
  }

  /** The complete file, verified by its hash. Throws when it does not match. */
  finish(answer: Answer): Buffer {
    assertSuccess(this.#call, answer, [200, 206]);
    this.take(answer);
    const content = this.#content;
    if (findSha256(answer) !== undefined && toSha256(content) === this.#sha256) return content;
    // Starts over: parts that do not fit together never will.
    this.#sha256 = undefined;
    this.#content = Buffer.alloc(0);
    throw toForeignError(this.#call, 'with something else than the file');
  }
}
