import type { ApiPromise } from '../http/api-promise.ts';
import { toUnexpected } from '../http/response.ts';
import { List } from '../list.ts';
import type { CallOptions } from '../options.ts';
import type { Transport } from '../http/transport.ts';
import type { AuditEntry, AuditPage, AuditQuery } from '../types.ts';
import type { Changes } from '../waiting/changes.ts';
import { Group } from './group.ts';

const formats = { csv: 'text/csv', jsonl: 'application/jsonl' } as const;

/**
 * Who did what with what is yours: you, operators, the server. That of operators has everything.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * for await (const { at, action, target } of berth.auditLog.list()) console.log(at, action, target.id);
 */
export class AuditLog<Query extends AuditQuery = AuditQuery> extends Group {
  readonly #path: string;

  constructor(transport: Transport, changes: Changes, path = '/v1/my/audit-log') {
    super(transport, changes);
    this.#path = path;
  }

  /** All rows, newest first. */
  list(query: Omit<Query, 'after' | 'per_page'> = {} as Query, options?: CallOptions): List<AuditEntry> {
    return new List(({ after, per_page }) => this.page({ ...query, after, per_page } as Query, options));
  }

  /** One page of them. */
  page(query: Query = {} as Query, options?: CallOptions): ApiPromise<AuditPage> {
    return this.transport.json({ method: 'GET', path: this.#path, query, options }, 'anything');
  }

  /** Up to 100,000 of them as the text of a file: for spreadsheets, or one JSON object per line. */
  export(format: keyof typeof formats, query: Query = {} as Query, options?: CallOptions): ApiPromise<string> {
    const accept = formats[format];
    const call = () => ({ method: 'GET', path: this.#path, headers: { accept }, query, options }) as const;
    return this.transport.bytes(call, (response, name) => {
      if (!response.headers.get('content-type')?.startsWith(accept)) throw toUnexpected(response, name);
      return new TextDecoder('utf-8', { ignoreBOM: true }).decode(response.bytes);
    });
  }
}
