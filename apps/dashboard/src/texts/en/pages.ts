/** English: the pages for signed-in users. Each has a file of its own here. */
import { account } from './account.ts';
import { hosts } from './hosts.ts';
import { runs } from './runs.ts';
import { projects } from './projects.ts';
import { secret } from './secret.ts';
import { task } from './task.ts';
import { tasks } from './tasks.ts';
import { taskWords } from './task-words.ts';
import { terminal } from './terminal/terminal.ts';
import { terminalAccount } from './terminal/account.ts';
import { terminalExperts } from './terminal/experts.ts';
import { terminalLogs } from './terminal/logs.ts';
import { terminalSettings } from './terminal/settings.ts';
import { terminalTasks } from './terminal/tasks.ts';
import { terminals } from './terminals.ts';

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
