/** English: the pages for signed-in users. Each has a file of its own here. */
import { account } from './account.ts';
import { hosts } from './hosts.ts';
import { runs } from './runs.ts';
import { projects } from './projects.ts';
import { task, tasks, taskWords } from './tasks.ts';
import { terminal, terminalTasks } from './terminal/terminal.ts';
import { terminalAccount } from './terminal/account.ts';
import { terminalExperts } from './terminal/experts.ts';
import { terminalLogs } from './terminal/logs.ts';
import { terminalSettings } from './terminal/settings.ts';
import { terminals } from './terminals.ts';

/** Secrets to be copied. */
const secret = {
  copy: 'Copy',
  copied: 'Copied.',
  selected: 'Selected. Press Ctrl+C (⌘C on a Mac) to copy it.',
};

export const pages = {
  account,
  hosts,
  runs,
  projects,
  secret,
  task,
  tasks,
  taskWords,
  terminal,
  terminalAccount,
  terminalExperts,
  terminalLogs,
  terminalSettings,
  terminalTasks,
  terminals,
};
