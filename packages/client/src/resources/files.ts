import { toUnexpected } from '../http/answer.ts';
import type { ApiPromise } from '../http/api-promise.ts';
import { toPath } from '../http/call.ts';
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

const FILES = '/v1/my/files';

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
  page(query: PageQuery = {}, options?: CallOptions): ApiPromise<StoredFiles> {
    return this.transport.json({ method: 'GET', path: FILES, query, options }, 'page');
  }

  /** Uploads up to 32 MiB. */
  upload(
    name: string,
    content: Uint8Array<ArrayBuffer> | Blob | string,
    options?: CreateOptions,
  ): ApiPromise<StoredFile> {
    return this.transport.data({ method: 'POST', post: 'keyed', path: FILES, query: { name }, content, options });
  }

  /** What is known of a file. */
  get(id: string, options?: CallOptions): ApiPromise<StoredFile> {
    return this.transport.data(() => ({ method: 'GET', path: toPath`/v1/my/files/${id}`, options }));
  }

  /** What is in a file. */
  content(id: string, options?: CallOptions): ApiPromise<Content> {
    const call = () => ({ method: 'GET', path: toPath`/v1/my/files/${id}/content`, options }) as const;
    return this.transport.bytes(call, (answer, name) => {
      const { bytes, headers } = answer;
      const [etag, type] = [headers.get('etag'), headers.get('content-type')];
      // What Berth sends for a file is always an attachment; a page that somebody else sends is none.
      const isFile = headers.get('content-disposition')?.startsWith('attachment');
      if (!isFile || !etag || !type) throw toUnexpected(answer, name);
      return { bytes, type, etag };
    });
  }

  /** Deletes a file that no unfinished task needs. @throws ConflictError otherwise */
  delete(id: string, options?: CallOptions): ApiPromise<void> {
    return this.transport.done(() => ({ method: 'DELETE', path: toPath`/v1/my/files/${id}`, options }));
  }
}
