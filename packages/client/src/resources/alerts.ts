import type { ApiPromise } from '../http/api-promise.ts';
import { toPath, type Call } from '../http/call.ts';
import { List } from '../list.ts';
import type { CallOptions } from '../options.ts';
import type {
  Alert,
  AlertChannel,
  AlertChannelChanges,
  AlertChannelPage,
  AlertChannelQuery,
  AlertChannelTest,
  AlertPage,
  AlertQuery,
  AlertRule,
  AlertRuleChanges,
  AlertRulePage,
  AlertRuleQuery,
  NewAlertChannel,
  NewAlertRule,
} from '../types.ts';
import { Group } from './group.ts';

const ALERTS = '/v1/my/alerts';
const CHANNELS = '/v1/my/alert-channels';
const RULES = '/v1/my/alert-rules';

/** A call of what has this id; an id that is no text fails when the call is awaited. */
const toCall = (method: Call['method'], place: string, id: string, options?: CallOptions, body?: object) => () => ({
  method,
  path: place + toPath`/${id}`,
  body,
  options,
});

/**
 * Where messages of alerts go. Their secrets read back as `********`, which an update keeps.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const settings = { server_url: 'https://ntfy.example.com', topic: 'desk' };
 * const { id } = await berth.alerts.channels.create({ kind: 'ntfy', name: 'Desk', settings });
 * await berth.alerts.channels.update(id, { name: 'Trading desk' });
 */
export class AlertChannels extends Group {
  /** All channels, oldest first. */
  list(options?: CallOptions): List<AlertChannel> {
    return new List((page) => this.page(page, options));
  }

  /** One page of them. */
  page(query: AlertChannelQuery = {}, options?: CallOptions): ApiPromise<AlertChannelPage> {
    return this.transport.json({ method: 'GET', path: CHANNELS, query, options }, 'anything');
  }

  /** Creates a channel. */
  create(body: NewAlertChannel, options?: CallOptions): ApiPromise<AlertChannel> {
    return this.transport.data({ method: 'POST', path: CHANNELS, body, options });
  }

  /** One channel. */
  get(id: string, options?: CallOptions): ApiPromise<AlertChannel> {
    return this.transport.data(toCall('GET', CHANNELS, id, options));
  }

  /** Changes it. Settings that are left out stay as they are. */
  update(id: string, body: AlertChannelChanges, options?: CallOptions): ApiPromise<AlertChannel> {
    return this.transport.data(toCall('PATCH', CHANNELS, id, options, body));
  }

  /** Deletes it. */
  delete(id: string, options?: CallOptions): ApiPromise<void> {
    return this.transport.done(toCall('DELETE', CHANNELS, id, options));
  }

  /** Sends a test message now. A message that was not taken is no error: see `is_sent` and `error`. */
  test(id: string, options?: CallOptions): ApiPromise<AlertChannelTest> {
    return this.transport.data(() => ({
      method: 'POST',
      path: CHANNELS + toPath`/${id}/test`,
      options,
    }));
  }
}

/**
 * What is told, when, and where.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const { id } = await berth.alerts.rules.create({ name: 'Down', when: 'terminal_down', for_minutes: 5, channel_ids: [] });
 * await berth.alerts.rules.update(id, { enabled: false });
 */
export class AlertRules extends Group {
  /** All rules, oldest first. */
  list(options?: CallOptions): List<AlertRule> {
    return new List((page) => this.page(page, options));
  }

  /** One page of them. */
  page(query: AlertRuleQuery = {}, options?: CallOptions): ApiPromise<AlertRulePage> {
    return this.transport.json({ method: 'GET', path: RULES, query, options }, 'anything');
  }

  /** Creates a rule. */
  create(body: NewAlertRule, options?: CallOptions): ApiPromise<AlertRule> {
    return this.transport.data({ method: 'POST', path: RULES, body, options });
  }

  /** One rule. */
  get(id: string, options?: CallOptions): ApiPromise<AlertRule> {
    return this.transport.data(toCall('GET', RULES, id, options));
  }

  /** Changes it. */
  update(id: string, body: AlertRuleChanges, options?: CallOptions): ApiPromise<AlertRule> {
    return this.transport.data(toCall('PATCH', RULES, id, options, body));
  }

  /** Deletes it; its open alerts end without a message. */
  delete(id: string, options?: CallOptions): ApiPromise<void> {
    return this.transport.done(toCall('DELETE', RULES, id, options));
  }
}

/**
 * Messages to people when something goes wrong.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const { id } = await berth.alerts.channels.create({
 *   kind: 'ntfy',
 *   name: 'My telephone',
 *   settings: { topic: 'a-long-name-that-nobody-guesses' },
 * });
 * await berth.alerts.rules.create({ name: 'Down', when: 'terminal_down', for_minutes: 5, channel_ids: [id] });
 */
export class Alerts extends Group {
  /** Where messages go. */
  readonly channels: AlertChannels;
  /** What is told, when, and where. */
  readonly rules: AlertRules;

  constructor(...parts: ConstructorParameters<typeof Group>) {
    super(...parts);
    this.channels = new AlertChannels(...parts);
    this.rules = new AlertRules(...parts);
  }

  /** All alerts, newest first. */
  list(query: Omit<AlertQuery, 'after' | 'per_page'> = {}, options?: CallOptions): List<Alert> {
    return new List((page) => this.page({ ...query, ...page }, options));
  }

  /** One page of them. */
  page(query: AlertQuery = {}, options?: CallOptions): ApiPromise<AlertPage> {
    return this.transport.json({ method: 'GET', path: ALERTS, query, options }, 'anything');
  }

  /** One alert. */
  get(id: string, options?: CallOptions): ApiPromise<Alert> {
    return this.transport.data(toCall('GET', ALERTS, id, options));
  }

  /** Says that somebody takes care of it: it reminds nobody any more. */
  acknowledge(id: string, options?: CallOptions): ApiPromise<Alert> {
    return this.transport.data(() => ({ method: 'POST', path: ALERTS + toPath`/${id}/acknowledge`, options }));
  }
}
