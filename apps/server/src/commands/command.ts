import type { Command, CommandAnswer, CommandCall } from '@berth/command';
import { EXIT } from '@berth/command';
import type { Instance } from './instance.ts';

export type Call = Omit<CommandCall<unknown>, 'settings'>;

/** A command of `script/operator`. */
export interface OperatorCommand {
  /** What follows `script/operator` and its name. */
  form: string;
  /** What it does, in a line. */
  summary: string;
  /** What its help says besides. */
  details?: string;
  options: Command<unknown>['options'];
  /** How many arguments it takes. */
  count: number;
  run: (instance: Instance, call: Call) => Promise<CommandAnswer>;
}

/** @param json what programs get besides `ok` */
export const toAnswer = (text: string, json: object): CommandAnswer => ({
  exitCode: EXIT.fine,
  text,
  json: { ok: true, ...json },
});
