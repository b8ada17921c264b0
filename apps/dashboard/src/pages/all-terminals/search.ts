/** The query parameters of the terminals of all users. */
import type { TerminalStatusName } from '@berth/client';
import { toOneOf, toPage, toText } from '../../data/search-values.ts';

/** What is looked for; `all` has no parameter. */
export const statusGroups = {
  notRunning: [
    'PENDING',
    'INSTALLING',
    'CONNECTING',
    'DISCONNECTED',
    'STOPPED',
    'LOGIN_FAILED',
    'FAILED',
    'UNREACHABLE',
  ],
  waiting: ['PENDING'],
  failed: ['FAILED', 'LOGIN_FAILED'],
} as const satisfies Record<string, readonly TerminalStatusName[]>;
export type StatusGroup = keyof typeof statusGroups;
export const statusGroupNames = Object.keys(statusGroups) as StatusGroup[];

export interface AllTerminalsSearch {
  page?: number;
  search?: string;
  status?: StatusGroup;
  user?: string;
  host?: string;
  /** Whose answer is shown. */
  why?: string;
}

export const toAllTerminalsSearch = (given: Record<string, unknown>): AllTerminalsSearch => ({
  ...toPage(given.page),
  ...toText('search', given.search),
  ...toOneOf('status', statusGroupNames, given.status),
  ...toText('user', given.user),
  ...toText('host', given.host),
  ...toText('why', given.why),
});
