import { createHash } from 'node:crypto';
import { MAX_FILE_BYTES, type DeliveredTask } from '@berth/contract/agent';
import type { TaskFiles } from '../platforms/driver.ts';
import { BrokenAnswerError, type Answer } from './http-exchange.ts';
import { readUpload, type UploadedFile } from './server-answers.ts';
import { toForeignError } from './server-error.ts';
import { assertSuccess, toJsonAnswer, type Transport } from './server-transport.ts';

/** Of a file whose bytes do not move; one that moves takes its time. */
const FILE_TIMEOUT_MS = 60_000;

export interface ServerFilesOptions {
  transport: Transport;
  bearer: string;
  task: DeliveredTask;
  signal: AbortSignal;
}

const toSha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/** The files of one attempt. What came of a download is kept for the next try. */
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

/** The hash that Berth states as the file's tag; a tag of any other kind is not Berth's. */
const findSha256 = ({ headers }: Answer): string | undefined => /^"([0-9a-f]{64})"$/.exec(headers.etag ?? '')?.[1];

/** A server of the first release states no hash; the id that it gives to every request tells that it is Berth's. */
const isFromFirstRelease = ({ headers }: Answer): boolean =>
  headers.etag === undefined &&
  headers['content-type'] === 'application/octet-stream' &&
  /^[0-9a-f-]{36}$/.test(headers['x-request-id'] as string);

/** A file on its way, over as many tries as it takes: each goes on where the last one broke off. */
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

  /** Asks for the rest of the very same content, or for all of what there is now. */
  toHeaders(): Record<string, string> {
    if (this.#sha256 === undefined || this.#content.length === 0) return {};
    return { range: `bytes=${this.#content.length}-`, 'if-range': `"${this.#sha256}"` };
  }

  /** Adds what came, if it is a part of the file. */
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

  /** The whole file, proven by its hash. Throws when it is not. */
  finish(answer: Answer): Buffer {
    assertSuccess(this.#call, answer, [200, 206]);
    if (answer.status === 200 && isFromFirstRelease(answer)) return answer.body;
    this.take(answer);
    const content = this.#content;
    if (findSha256(answer) !== undefined && toSha256(content) === this.#sha256) return content;
    // From the beginning again: bytes that do not fit together would never.
    this.#sha256 = undefined;
    this.#content = Buffer.alloc(0);
    throw toForeignError(this.#call, 'with something else than the file');
  }
}
