/**
 * Commands to a terminal's link program: a file with an id, answered once by a file of the same id. Whoever sends one
 * looks at the account afterwards: an answer is a word of the terminal, and a missing one says nothing.
 */
import { randomUUID } from 'node:crypto';
import type { Timing } from '@berth/kit';
import type { AccountExchange } from '../platforms/driver.ts';
import { readAnswer, type Answer } from './exchange-files.ts';

export interface TradeCommand {
  /** `close_by` closes two opposite positions of a hedging account by each other. */
  action: 'close_position' | 'close_by' | 'delete_order';
  ticket: string;
  /** Of a position; all of it without one. */
  volume?: string;
  /** The opposite position. */
  by?: string;
}

/** The answer to `remove_experts` says how many charts with experts there were. */
export type Command = TradeCommand | { action: 'remove_experts' };

/** Nobody knows whether it was done. */
export const AMBIGUOUS = 10_012;
const ANSWER_MS = 10_000;
const LOOK_MS = 50;
const MAX_ANSWER_BYTES = 16 * 1024;
/** A program that takes it from the disk only now would act on what nobody waits for. */
const EXPIRY_MS = ANSWER_MS - 1_000;

export interface CommandOptions {
  exchange: AccountExchange;
  /** The account that the command is for; the program refuses it for any other. */
  account: { login: string; server: string };
  timing: Timing;
}

const NO_ANSWER: Answer = {
  retcode: AMBIGUOUS,
  message: 'The terminal did not answer in time.',
  order: null,
  deal: null,
};

/**
 * Sends a command and waits for its answer, 10 s at most; then it is ambiguous. Rejects when it could not be written:
 * then it was not sent.
 */
export const sendCommand = async (
  command: Command,
  { exchange: { files, folder }, account, timing }: CommandOptions,
  signal: AbortSignal,
): Promise<Answer> => {
  const id = randomUUID();
  const now = timing.clock.now();
  const [commandPath, answerPath] = [`${folder}/commands/${id}.json`, `${folder}/answers/${id}.json`];
  const times = { sent_at: new Date(now).toISOString(), expires_at: new Date(now + EXPIRY_MS).toISOString() };
  await files.replaceFile(commandPath, JSON.stringify({ v: 1, id, ...account, ...times, ...command }), { mode: 0o644 });
  try {
    // Counted, not timed: a clock that is set back must not keep it waiting.
    for (let looks = 0; looks < ANSWER_MS / LOOK_MS && !signal.aborted; looks += 1) {
      await timing.sleep(LOOK_MS, signal);
      const bytes = await files.findBytes(answerPath, MAX_ANSWER_BYTES);
      const answer = bytes && readAnswer(bytes, id);
      if (answer) return answer;
    }
    return NO_ANSWER;
  } finally {
    // The command first: one without an answer would be carried out again.
    await files.removeFile(commandPath);
    await files.removeFile(answerPath);
  }
};
