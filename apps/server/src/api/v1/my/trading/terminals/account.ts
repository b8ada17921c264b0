import {
  historyDays,
  historySteps,
  MAX_HISTORY_POINTS,
  parseIsoDateTime,
  tradingRoutes,
  type HistoryStep,
} from '@berth/contract';
import { recordAudit } from '../../../../../audit/record.ts';
import { AppError } from '../../../../../errors.ts';
import { assertTerminal } from '../../../../../terminals/queries.ts';
import { readHistory } from '../../../../../trading/history.ts';
import { findInitialBalance, setInitialBalance } from '../../../../../trading/initial-balances.ts';
import { findTradingAccount } from '../../../../../trading/reading.ts';
import { toEnvelope } from '../../../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../../../http/route.ts';

const DAY_MS = 86_400_000;

/** The longest time that one answer covers. */
const toSpanMs = (step: HistoryStep): number => Math.min(historyDays[step] * DAY_MS, MAX_HISTORY_POINTS * step * 1_000);

/** Nothing was reported before 1970, and the database formats earlier years differently. */
const toTime = (text: string | undefined): number | undefined => {
  const time = text === undefined ? undefined : parseIsoDateTime(text)?.getTime();
  return time === undefined ? undefined : Math.max(0, time);
};

interface Asked {
  from?: string | undefined;
  to?: string | undefined;
  step?: HistoryStep | undefined;
}

/** Without a step the finest one that is kept for all of the time, and has not too many points. */
const toWindow = ({ from, to, step }: Asked, nowMs: number) => {
  const [fromMs, toMs = nowMs] = [toTime(from), toTime(to)];
  const startMs = fromMs ?? toMs - DAY_MS;
  const isCovered = (each: HistoryStep): boolean =>
    nowMs - startMs <= historyDays[each] * DAY_MS + 60_000 && toMs - startMs <= toSpanMs(each) + 60_000;
  const chosen = step ?? historySteps.find(isCovered) ?? 86400;
  const earliestMs = Math.max(0, toMs - toSpanMs(chosen));
  // A step that began before is shown where it is under way then.
  const firstMs = Math.floor(Math.max(fromMs ?? earliestMs, earliestMs) / (chosen * 1_000)) * chosen * 1_000;
  return { step: chosen, from: new Date(firstMs), to: new Date(toMs) };
};

export const registerAccountRoutes = (context: RouteContext): void => {
  const { db, clock } = context.services;

  registerRoute(context, tradingRoutes.getAccount, {
    handle: async ({ params, caller: { user } }) => {
      // Up to 64 kB: on the owner's slow connections they hold up nobody else's reads.
      const account = await findTradingAccount(db.slowFor(user.id), user.id, params.terminal_id);
      if (account === undefined) throw AppError.notFound('Terminal');
      if (account === null) throw new AppError('no_account_data');
      return toEnvelope('Account retrieved successfully.', account);
    },
  });

  registerRoute(context, tradingRoutes.updateAccount, {
    assertFound: ({ params, caller }) => assertTerminal(db, caller.user.id, params.terminal_id),
    handle: async ({ params: { terminal_id: terminalId }, caller, actor, body: { initial_balance: amount } }) => {
      const { id: userId } = caller.user;
      const balance = await db.transactionFor(userId, async (tx) => {
        const before = await findInitialBalance(tx, userId, terminalId);
        if (!before || amount === undefined) return before;
        await setInitialBalance(tx, { userId, terminalId, amount });
        const after = (await findInitialBalance(tx, userId, terminalId)) ?? null;
        const target = { type: 'terminal', id: terminalId };
        await recordAudit(tx, actor, { action: 'trading_account.update', target, before, after });
        return after;
      });
      if (!balance) throw AppError.notFound('Terminal');
      return toEnvelope('Account updated successfully.', balance);
    },
  });

  registerRoute(context, tradingRoutes.getAccountHistory, {
    assertFound: ({ params, caller }) => assertTerminal(db, caller.user.id, params.terminal_id),
    handle: async ({ params: { terminal_id: terminalId }, query, caller }) => {
      const { id: userId } = caller.user;
      await assertTerminal(db, userId, terminalId);
      const window = toWindow(query, clock.now());
      const points = await readHistory(db.slowFor(userId), { terminalId, userId, ...window });
      return toEnvelope('History retrieved successfully.', { step_seconds: window.step, points });
    },
  });
};
