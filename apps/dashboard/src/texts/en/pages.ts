/** English: the pages for signed-in users. Each has a file of its own here. */
import { account } from './account.ts';
import { alertMenu, alerts } from './alerts.ts';
import { frame } from './frame.ts';
import { hosts } from './hosts.ts';
import { runs } from './runs.ts';
import { projects } from './projects.ts';
import { risk } from './risk.ts';
import { task, tasks, taskWords } from './tasks.ts';
import { terminal, terminalTasks } from './terminal/terminal.ts';
import { terminalAccount } from './terminal/account.ts';
import { terminalExperts } from './terminal/experts.ts';
import { terminalLogs } from './terminal/logs.ts';
import { terminalSettings } from './terminal/settings.ts';
import { terminalTrading } from './terminal/trading.ts';
import { terminals } from './terminals.ts';
import { webhook, webhooks } from './webhooks.ts';

/** Secrets to be copied. */
const secret = {
  copy: 'Copy',
  copied: 'Copied.',
  selected: 'Selected. Press Ctrl+C (⌘C on a Mac) to copy it.',
};

/** Through a list that grows at its beginning. */
const steps = {
  newest: 'Newest',
  older: 'Older',
  isNewest: 'This is the beginning of the list.',
  isOldest: 'This is the end of the list.',
};

export const pages = {
  account,
  alertMenu,
  alerts,
  frame,
  hosts,
  runs,
  projects,
  risk,
  secret,
  steps,
  task,
  tasks,
  taskWords,
  terminal,
  terminalAccount,
  terminalExperts,
  terminalLogs,
  terminalSettings,
  terminalTasks,
  terminalTrading,
  terminals,
  webhook,
  webhooks,
};
