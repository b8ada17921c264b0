import type { ApiPromise } from '../http/api-promise.ts';
import { toPath } from '../http/call.ts';
import { List } from '../list.ts';
import type { CallOptions, CreateOptions } from '../options.ts';
import type { NewSchedule, Schedule, ScheduleChanges, SchedulePage, ScheduleQuery } from '../types.ts';
import { Group } from './group.ts';

const SCHEDULES = '/v1/my/schedules';

/**
 * Tasks that are created again and again, at times that a cron expression names.
 * @example
 * import { Berth, TaskType } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const { next_runs } = await berth.schedules.create({
 *   name: 'Off for the weekend',
 *   all: true,
 *   type: TaskType.OPTIONS_AUTO_TRADE,
 *   payload: { allow_algo_trading: 0 },
 *   cron: '0 21 * * 5',
 *   time_zone: 'Europe/London',
 *   missed: 'run_once',
 * });
 */
export class Schedules extends Group {
  /** All schedules, oldest first. */
  list(options?: CallOptions): List<Schedule> {
    return new List((page) => this.page(page, options));
  }

  /** One page of them. */
  page(query: ScheduleQuery = {}, options?: CallOptions): ApiPromise<SchedulePage> {
    return this.transport.json({ method: 'GET', path: SCHEDULES, query, options }, 'anything');
  }

  /** Creates a schedule. */
  create(body: NewSchedule, options?: CreateOptions): ApiPromise<Schedule> {
    return this.transport.data({ method: 'POST', path: SCHEDULES, body, post: 'keyed', options });
  }

  /** One schedule. */
  get(id: string, options?: CallOptions): ApiPromise<Schedule> {
    return this.transport.data(() => ({ method: 'GET', path: SCHEDULES + toPath`/${id}`, options }));
  }

  /** Changes it, or switches it off and on. Its type stays. */
  update(id: string, body: ScheduleChanges, options?: CallOptions): ApiPromise<Schedule> {
    return this.transport.data(() => ({ method: 'PATCH', path: SCHEDULES + toPath`/${id}`, body, options }));
  }

  /** Deletes it. The runs that it started go on. */
  delete(id: string, options?: CallOptions): ApiPromise<void> {
    return this.transport.done(() => ({ method: 'DELETE', path: SCHEDULES + toPath`/${id}`, options }));
  }
}
