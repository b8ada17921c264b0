export {
  CommandError,
  EXIT,
  UsageError,
  type CallerWindow,
  type Command,
  type CommandAnswer,
  type CommandCall,
  type CommandInput,
} from './command.ts';
export { hang, paint, toPage, toPlainText, wrap, type Page, type Style } from './page.ts';
export { fail, refuseArguments, runProcessCommand } from './process.ts';
export { runCommand, type CommandRun } from './run-command.ts';
