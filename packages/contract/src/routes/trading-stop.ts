import type { Ability } from '../abilities.ts';
import { Envelope, EnvelopeOrRefusal, Type } from '../schema.ts';
import { BulkRun } from '../tasks/run-resources.ts';
import { StopReadiness, TradingStop } from '../trading/stop.ts';
import { defineRoute } from './route.ts';

const stop = <const Needed extends Ability>(ability: Needed) => ({ tag: 'Tasks', auth: 'user', ability }) as const;

const STOP = '/v1/my/trading/stop';

export const tradingStopRoutes = {
  getTradingStop: defineRoute({
    ...stop('read'),
    method: 'GET',
    url: STOP,
    summary: 'Read how the stop of all algo trading stands, and which terminals one would reach',
    response: Envelope(
      Type.Object({
        stop: Type.Unsafe<TradingStop | null>({
          ...TradingStop,
          type: ['object', 'null'],
          description: 'null: there is none',
        }),
        readiness: StopReadiness,
      }),
    ),
  }),
  startTradingStop: defineRoute({
    ...stop('write'),
    method: 'POST',
    audit: 'trading_stop.start',
    url: STOP,
    summary: 'Turn algo trading off on all terminals, and ask those that do not confirm it again until they do',
    limit: 'taskCreation',
    isIdempotent: true,
    isStrict: true,
    errors: ['nothing_matched', 'storage_full'],
    response: EnvelopeOrRefusal(TradingStop),
  }),
  endTradingStop: defineRoute({
    ...stop('write'),
    method: 'POST',
    audit: 'trading_stop.end',
    url: `${STOP}/end`,
    summary: 'End the stop: restore what was on when it began, and only that, or leave algo trading off',
    limit: 'taskCreation',
    isIdempotent: true,
    isStrict: true,
    errors: ['storage_full'],
    body: Type.Object({
      restore: Type.Boolean({ description: 'true: turn algo trading on again where it was on; false: leave it off' }),
    }),
    response: EnvelopeOrRefusal(
      Type.Object({
        run: Type.Unsafe<BulkRun | null>({
          ...BulkRun,
          type: ['object', 'null'],
          description: 'The run of tasks that turns algo trading on again; null: nothing is turned on',
        }),
      }),
    ),
  }),
};
