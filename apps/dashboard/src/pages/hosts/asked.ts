/** What is asked about a host: which dialog is open. */
import type { Host } from '@berth/client';

export const questions = ['settings', 'usage', 'drain', 'endDrain', 'retire'] as const;
export type Question = (typeof questions)[number];

export interface Asked {
  question: Question;
  host: Host;
}
export type Ask = (question: Question, host: Host) => void;
