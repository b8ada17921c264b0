/** English: the pages for signed-in users. Each has a file of its own here, and is loaded where it is used. */
export { account } from './account.ts';
export { alertMenu, alerts } from './alerts.ts';
export { frame, secret, steps } from './frame.ts';
export { hosts } from './hosts.ts';
export { runs } from './runs.ts';
export { projects } from './projects.ts';
export { stop } from './stop.ts';
export { risk } from './risk.ts';
export { task, tasks, taskWords } from './tasks.ts';
export { terminal, terminalTasks } from './terminal/terminal.ts';
export { terminalAccount } from './terminal/account.ts';
export { terminalExperts } from './terminal/experts.ts';
export { terminalHistory } from './terminal/history.ts';
export { terminalLogs } from './terminal/logs.ts';
export { terminalSettings } from './terminal/settings.ts';
export { terminalTrading } from './terminal/trading.ts';
export { terminals } from './terminals.ts';
export { webhook, webhooks } from './webhooks.ts';
