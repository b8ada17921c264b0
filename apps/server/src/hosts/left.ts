/** What is left on a host that is being drained: terminals whose program runs, and why it still does. */
import { HostStatus, TaskType, TerminalStatus, type LeftReason } from '@berth/contract';

const { PENDING, INSTALLING, STOPPED, FAILED, DESTROYING, UNREACHABLE } = TerminalStatus;
const is = (reason: LeftReason): string => `'${reason}'`;

/**
 * SQL: why a terminal is left on its host, null where it is not. The program of one that is stopped, or whose
 * installation failed, does not run; unless it is being installed again, after its agent was killed meanwhile.
 * @param terminal an alias with the columns of `terminals`
 * @param host an alias with `status`, `drain_started_at` and `drain_terminals` of its host
 */
export const toLeftReason = (terminal: string, host: string): string => `case
     when ${host}.drain_started_at is null or ${terminal}.status = ${FAILED} then null
     when ${terminal}.status = ${STOPPED} then case when exists (
       select from tasks where host_id = ${terminal}.host_id and terminal_id = ${terminal}.id and finished_at is null
         and type = ${TaskType.TERMINAL_INSTALL}
     ) then ${is('installing')} end
     when ${terminal}.status = ${DESTROYING} then ${is('deleting')}
     when ${host}.drain_terminals = 'stay' then ${is('staying')}
     when ${terminal}.status = ${UNREACHABLE} or ${host}.status = ${HostStatus.LOST} then ${is('unreachable')}
     when ${terminal}.status in (${PENDING}, ${INSTALLING}) then ${is('installing')}
     when ${terminal}.drain_task_id is null then ${is('stopping')}
     when (select finished_at is null from tasks where id = ${terminal}.drain_task_id) then
       case when (select l.task_id from task_leases l where l.terminal_id = ${terminal}.id) <> ${terminal}.drain_task_id
         then ${is('task_running')} else ${is('stopping')} end
     else ${is('not_stopped')} end`;
