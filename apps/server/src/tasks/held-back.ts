/** What came since a move of a terminal began, and speaks against starting it again. */
import { TaskType } from '@berth/contract';
import { isStop } from './queue.ts';

const endsTrading = (task: string): string => `(${isStop(task)} or ${task}.type = ${TaskType.ACCOUNT_LOGOUT})`;

/**
 * SQL: the columns `is_held` and `is_firm`. Who was to be stopped, is locked, or has a user who is suspended (also by a
 * transaction that is being committed) is not started again. Nor is one on which trading was to end: its own switch is as it
 * was when it was stopped, so it would trade.
 * @param terminal an alias of `terminals`
 * @param since an expression: tasks of that very moment are the move's own
 */
export const isFirm = (terminal: string, since: string): string => `
     ${terminal}.locked_reason is not null or refuses_trading(${terminal}.user_id) or exists (
       select from tasks o where o.terminal_id = ${terminal}.id and o.created_at > ${since}
         and o.type in (${TaskType.TERMINAL_STOP}, ${TaskType.ACCOUNT_LOGOUT})
     ) as is_held,
     exists (select from trading_stops x where x.user_id = ${terminal}.user_id) or exists (
       select from tasks o where o.terminal_id = ${terminal}.id and o.created_at > ${since} and ${endsTrading('o')}
     ) as is_firm`;
