import { useQuery } from '@tanstack/react-query';
import { berth } from './berth.ts';
import { keys } from './keys.ts';

/** What a terminal was set up with, newest first. */
export const useSnapshots = (terminalId: string) =>
  useQuery({
    queryKey: keys.terminals.snapshots(terminalId),
    queryFn: ({ signal }) => berth.terminals.snapshots(terminalId, { signal }),
  });
