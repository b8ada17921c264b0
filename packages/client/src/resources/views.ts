import type { ApiPromise } from '../http/api-promise.ts';
import { toPath } from '../http/call.ts';
import type { CallOptions } from '../options.ts';
import type { NewView, SavedView } from '../types.ts';
import { Group } from './group.ts';

/**
 * Filters and columns of the dashboard's lists, kept under a name.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * await berth.views.save('Prop, failed', { page: 'terminals', query: 'tag=prop&status=needs-attention' });
 */
export class Views extends Group {
  /** All of them, by name. */
  list(options?: CallOptions): ApiPromise<SavedView[]> {
    return this.transport.data({ method: 'GET', path: '/v1/my/views', options }, 'list');
  }

  /** Saves a view under a name; one that has it is replaced. */
  save(name: string, body: NewView, options?: CallOptions): ApiPromise<SavedView> {
    return this.transport.data(() => ({ method: 'PUT', path: toPath`/v1/my/views/${name}`, body, options }));
  }

  /** Deletes it. */
  delete(name: string, options?: CallOptions): ApiPromise<void> {
    return this.transport.done(() => ({ method: 'DELETE', path: toPath`/v1/my/views/${name}`, options }));
  }
}
