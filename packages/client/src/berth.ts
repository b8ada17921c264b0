import { watchEvents, type EventOptions } from './events/watch.ts';
import type { ApiPromise } from './http/api-promise.ts';
import type { Call } from './http/call.ts';
import { Transport } from './http/transport.ts';
import { toSettings, type BerthOptions, type CreateOptions } from './options.ts';
import { Account } from './resources/account.ts';
import { Alerts } from './resources/alerts.ts';
import { AuditLog } from './resources/audit-log.ts';
import { Auth } from './resources/auth.ts';
import { BulkRuns } from './resources/bulk-runs.ts';
import { EventLog } from './resources/event-log.ts';
import { Files } from './resources/files.ts';
import { Operator } from './resources/operator.ts';
import { Projects, Regions } from './resources/projects.ts';
import { RiskBreaches, RiskRules } from './resources/risk.ts';
import { Tasks } from './resources/tasks.ts';
import { Terminals } from './resources/terminals.ts';
import { Schedules } from './resources/schedules.ts';
import { TradingStops } from './resources/trading-stop.ts';
import { Trading } from './resources/trading.ts';
import { Views } from './resources/views.ts';
import { Webhooks } from './resources/webhooks.ts';
import type { LiveEvent } from './types.ts';
import { Changes } from './waiting/changes.ts';

/** What a request of your own takes along. */
export interface RequestOptions extends CreateOptions {
  /** Query parameters; those that are undefined are left out. */
  query?: object | undefined;
  /** Sent as JSON. */
  body?: unknown;
}

/**
 * A server of Berth, and everything that it can do.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * (await berth.account.profile()).name; // => 'Ada Lovelace'
 */
export class Berth {
  /** Address of the server. */
  readonly baseUrl: string;
  /** Sign in and out. */
  readonly auth: Auth;
  /** Your profile, tokens, sessions and notifications. */
  readonly account: Account;
  /** Groups of terminals. */
  readonly projects: Projects;
  /** Where terminals can run. */
  readonly regions: Regions;
  /** Trading terminals. */
  readonly terminals: Terminals;
  /** Tasks of terminals. */
  readonly tasks: Tasks;
  /** The same task on many terminals, carried out by the server. */
  readonly bulkRuns: BulkRuns;
  /** The stop of all algo trading. */
  readonly tradingStop: TradingStops;
  /** What happened, for 30 days. */
  readonly eventLog: EventLog;
  /** Tasks that are created again and again. */
  readonly schedules: Schedules;
  /** Filters and columns of the dashboard's lists. */
  readonly views: Views;
  /** Money and deals of all terminals. */
  readonly trading: Trading;
  /** Rules that act on terminals by themselves. */
  readonly riskRules: RiskRules;
  /** What they did. */
  readonly riskBreaches: RiskBreaches;
  /** Endpoints that are sent what happens. */
  readonly webhooks: Webhooks;
  /** Messages to people when something goes wrong. */
  readonly alerts: Alerts;
  /** Expert Advisors and other files. */
  readonly files: Files;
  /** Who did what with what is yours. */
  readonly auditLog: AuditLog;
  /** For operators only. */
  readonly operator: Operator;
  readonly #transport: Transport;

  constructor(options: BerthOptions = {}) {
    const settings = toSettings(options);
    const transport = new Transport(settings);
    const changes = new Changes((signal, onLost) => this.events({ signal, onLost }));
    this.baseUrl = settings.baseUrl;
    this.#transport = transport;
    this.auth = new Auth(transport, changes);
    this.account = new Account(transport, changes);
    this.projects = new Projects(transport, changes);
    this.regions = new Regions(transport, changes);
    this.terminals = new Terminals(transport, changes);
    this.tasks = new Tasks(transport, changes);
    this.bulkRuns = new BulkRuns(transport, changes);
    this.tradingStop = new TradingStops(transport, changes);
    this.eventLog = new EventLog(transport, changes);
    this.schedules = new Schedules(transport, changes);
    this.views = new Views(transport, changes);
    this.trading = new Trading(transport, changes);
    this.riskRules = new RiskRules(transport, changes);
    this.riskBreaches = new RiskBreaches(transport, changes);
    this.webhooks = new Webhooks(transport, changes);
    this.alerts = new Alerts(transport, changes);
    this.files = new Files(transport, changes);
    this.auditLog = new AuditLog(transport, changes);
    this.operator = new Operator(transport, changes);
  }

  /**
   * What changes, as it changes. `ready` comes first, and again after each loss of the connection: read your lists then, from
   * there on no change is missed. `reset` asks for the same. Entries of the log come as `happened`, each once: after a loss,
   * too, they go on where they were. It goes on until the `signal`, or until you leave the loop.
   * @example
   * import { Berth } from '@berth/client';
   * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
   * for await (const event of berth.events()) {
   *   if (event.event === 'ready') break;
   * }
   */
  events(options: EventOptions = {}): AsyncGenerator<LiveEvent, void, undefined> {
    return watchEvents(this.#transport, options);
  }

  /**
   * A request for which this client has no method of its own. A POST goes with an idempotency key where you give one, and is
   * repeated only then.
   * @returns the whole response
   */
  request<Body extends { data: unknown }>(
    method: Call['method'],
    path: `/${string}`,
    options: RequestOptions = {},
  ): ApiPromise<Body> {
    const call = () => {
      const { query, body, ...others } = options;
      const post = others.idempotencyKey === undefined ? 'once' : 'keyed';
      return { method, path, query, body, post, options: others } as const;
    };
    return this.#transport.json(call, 'anything');
  }
}
