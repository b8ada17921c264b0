import { toUnexpected } from '../http/response.ts';
import type { ApiPromise } from '../http/api-promise.ts';
import type { Bytes } from '../http/bytes.ts';
import { toPath } from '../http/call.ts';
import { List } from '../list.ts';
import type { CallOptions, CreateOptions } from '../options.ts';
import type { ExpertQuery, LibraryExpert, PageQuery, StoredFile, StoredFiles } from '../types.ts';
import { Group } from './group.ts';

/** Bytes of the service, with what it says of them. */
export interface Content {
  /** The whole file. */
  bytes: Bytes;
  /** Media type. */
  type: string;
  /** Changes when the bytes do. */
  etag: string;
}

/** The same as it comes, for what is too large to hold in memory. */
export interface ContentStream {
  /** Go through it, or cancel it: until then the connection is held. */
  stream: ReadableStream<Bytes>;
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
 * Experts and other files that you upload, and the screenshots that tasks take.
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
  page(query: PageQuery = {}, options?: CallOptions): ApiPromise<StoredFiles> {
    return this.transport.json({ method: 'GET', path: FILES, query, options }, 'page');
  }

  /** Experts: what runs on your terminals, and expert files; of one program with its terminals. */
  experts(query: ExpertQuery = {}, options?: CallOptions): ApiPromise<LibraryExpert[]> {
    return this.transport.data({ method: 'GET', path: '/v1/my/experts', query, options }, 'list');
  }

  /** Uploads up to 32 MiB. */
  upload(name: string, content: Bytes | Blob | string, options?: CreateOptions): ApiPromise<StoredFile> {
    return this.transport.data({ method: 'POST', post: 'keyed', path: FILES, query: { name }, content, options });
  }

  /** What is known of a file. */
  get(id: string, options?: CallOptions): ApiPromise<StoredFile> {
    return this.transport.data(() => ({ method: 'GET', path: toPath`/v1/my/files/${id}`, options }));
  }

  /** What is in a file. */
  content(id: string, options?: CallOptions): ApiPromise<Content> {
    const call = () => ({ method: 'GET', path: toPath`/v1/my/files/${id}/content`, options }) as const;
    return this.transport.bytes(call, (response, name) => {
      const facts = findFacts(response.headers);
      if (!facts) throw toUnexpected(response, name);
      return { bytes: response.bytes, ...facts };
    });
  }

  /** What is in a file, as it comes, however large it is; or the rest of it. @throws ApiError 416 behind its end */
  stream(id: string, where?: StreamOptions): ApiPromise<ContentStream> {
    const call = () => {
      const { from = 0, etag, ...options } = where ?? {};
      const condition: Record<string, string> = etag === undefined ? {} : { 'if-range': etag };
      const headers: Record<string, string> = from > 0 ? { range: `bytes=${from}-`, ...condition } : {};
      return { method: 'GET', path: toPath`/v1/my/files/${id}/content`, headers, options } as const;
    };
    return this.transport.stream(call, (response, name) => {
      const { status, headers, stream } = response;
      const facts = findFacts(headers);
      const part = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get('content-range') ?? '');
      if (!facts || (status !== 200 && !part)) throw toUnexpected(response, name);
      const size = Number(part?.[2] ?? headers.get('content-length'));
      return { stream, ...facts, from: Number(part?.[1] ?? 0), size };
    });
  }

  /** Deletes a file that no unfinished task needs. @throws ConflictError otherwise */
  delete(id: string, options?: CallOptions): ApiPromise<void> {
    return this.transport.done(() => ({ method: 'DELETE', path: toPath`/v1/my/files/${id}`, options }));
  }
}
