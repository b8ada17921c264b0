/** Which log is read: from the URL, or else the last choice in this browser. */
import type { TaskPayloads } from '@berth/client';
import { useAddress } from '../address.ts';
import { logSources, type LogSource } from '../../../data/lead.ts';

const STORED = 'berth-log-source';

const readStored = (): LogSource => {
  try {
    const stored = localStorage.getItem(STORED);
    return logSources.find((source) => source === stored) ?? 'experts';
  } catch {
    return 'experts';
  }
};

const store = (source: LogSource): void => {
  try {
    localStorage.setItem(STORED, source);
  } catch {
    // Where storage is not allowed, only the URL remembers it.
  }
};

export type LogRequest = TaskPayloads['EA_LOGS'] & { source: LogSource };

/** The most that one task reads. The page keeps no more. */
export const MAX_LINES = 1_000;

export const toRequest = (source: LogSource, day: string | undefined, contains?: string): LogRequest => ({
  source,
  lines: MAX_LINES,
  ...(day === undefined ? {} : { date: day }),
  ...(contains === undefined || contains === '' ? {} : { contains }),
});

export const useLogChoice = () => {
  const { search, change } = useAddress();
  const source = search.source ?? readStored();
  return {
    source,
    day: search.day,
    contains: search.contains ?? '',
    setSource: (next: LogSource) => {
      store(next);
      change({ source: next }, { replace: true });
    },
    setDay: (day: string | undefined) => change({ day }, { replace: true }),
    change,
  };
};
