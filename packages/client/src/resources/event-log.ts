import type { ApiPromise } from '../http/api-promise.ts';
import { List } from '../list.ts';
import type { CallOptions } from '../options.ts';
import type { EventPage, EventQuery, UserEvent } from '../types.ts';
import { Group } from './group.ts';

/**
 * The log of events: what happened, kept for 30 days.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * for await (const { id, type, data } of berth.eventLog.list({ types: 'terminal.*' })) console.log(id, type, data);
 */
export class EventLog extends Group {
  /** All that is kept, oldest first; with `order: 'newest'`, newest first. */
  list(query: Omit<EventQuery, 'after' | 'per_page'> = {}, options?: CallOptions): List<UserEvent> {
    return new List(({ after, per_page }) => this.page({ ...query, after, per_page }, options));
  }

  /** One page of it, after the event whose id is given: those that followed, or with `order: 'newest'` those before. */
  page(query: EventQuery = {}, options?: CallOptions): ApiPromise<EventPage> {
    return this.transport.json({ method: 'GET', path: '/v1/my/events/log', query, options }, 'anything');
  }
}
