import { toUnexpected } from '../http/answer.ts';
import { toPath } from '../http/transport.ts';
import { List } from '../list.ts';
import type { CallOptions, CreateOptions } from '../options.ts';
import type { PageQuery, StoredFile, StoredFiles } from '../types.ts';
import { Group } from './group.ts';

/** Bytes of the service, with what it says of them. */
export interface Content {
  bytes: Uint8Array<ArrayBuffer>;
  /** Media type. */
  type: string;
  /** Changes when the bytes do. */
  etag: string;
}

/** The same as it comes, for what shall not stand in memory whole. */
export interface ContentStream {
  /** Go through it, or cancel it: until then the connection is held. */
  stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Media type. */
  type: string;
  /** Changes when the bytes do. */
  etag: string;
  /** Where in the file it begins: where you asked for, or at 0 where the file is not the one of your `etag` any more. */
  from: number;
  /** Bytes of the whole file. */
  size: number;
}

/** Where a stream begins. */
export interface StreamOptions extends CallOptions {
  /** The first byte, to go on where an earlier stream broke off; 0. */
  from?: number | undefined;
  /** Of the file that `from` was counted in. */
  etag?: string | undefined;
}

const FILES = '/v1/my/files';

/** What Berth sends for a file is always an attachment; a page that somebody else sends is none. */
const findFacts = (headers: Headers): { type: string; etag: string } | undefined => {
  const [etag, type] = [headers.get('etag'), headers.get('content-type')];
  const isFile = headers.get('content-disposition')?.startsWith('attachment');
  return isFile && etag && type ? { type, etag } : undefined;
};

/**
 * Experts and other files that you upload, and the pictures that tasks take.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const { id } = await berth.files.upload('Harbour.ex5', new Uint8Array([1, 2, 3]));
 * (await berth.files.content(id)).bytes.length; // => 3
 * await berth.files.delete(id);
 */
export class Files extends Group {
  /** All files, newest first. */
  list(options?: CallOptions): List<StoredFile> {
    return new List((page) => this.page(page, options));
  }

  /** One page, with what all files use of the storage. */
  page(query: PageQuery = {}, options?: CallOptions): Promise<StoredFiles> {
    return this.transport.json({ method: 'GET', path: FILES, query, options }, 'page');
  }

  /** Uploads up to 32 MiB. */
  upload(name: string, content: Uint8Array<ArrayBuffer> | Blob | string, options?: CreateOptions): Promise<StoredFile> {
    return this.transport.data({ method: 'POST', post: 'keyed', path: FILES, query: { name }, content, options });
  }

  /** What is known of a file. */
  get(id: string, options?: CallOptions): Promise<StoredFile> {
    return this.transport.data({ method: 'GET', path: toPath`/v1/my/files/${id}`, options });
  }

  /** What is in a file. */
  async content(id: string, options?: CallOptions): Promise<Content> {
    const path = toPath`/v1/my/files/${id}/content`;
    const answer = await this.transport.bytes({ method: 'GET', path, options });
    const facts = findFacts(answer.headers);
    if (!facts) throw toUnexpected(answer, `GET ${path}`);
    return { bytes: answer.bytes, ...facts };
  }

  /** What is in a file, as it comes, however large it is; or the rest of it. @throws ApiError 416 behind its end */
  async stream(id: string, { from = 0, etag, ...options }: StreamOptions = {}): Promise<ContentStream> {
    const path = toPath`/v1/my/files/${id}/content`;
    const condition = etag === undefined ? {} : { 'if-range': etag };
    const headers = from > 0 ? { range: `bytes=${from}-`, ...condition } : {};
    const { response, stream } = await this.transport.stream({ method: 'GET', path, headers, options });
    const facts = findFacts(response.headers);
    const part = /^bytes (\d+)-\d+\/(\d+)$/.exec(response.headers.get('content-range') ?? '');
    if (facts && (response.status === 200 || part)) {
      const size = Number(part?.[2] ?? response.headers.get('content-length'));
      return { stream, ...facts, from: Number(part?.[1] ?? 0), size };
    }
    await stream.cancel();
    throw toUnexpected(response, `GET ${path}`);
  }

  /** Deletes a file that no unfinished task needs. @throws ConflictError otherwise */
  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.transport.data({ method: 'DELETE', path: toPath`/v1/my/files/${id}`, options }, 'nothing');
  }
}
