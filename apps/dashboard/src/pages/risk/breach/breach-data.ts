import { useQuery } from '@tanstack/react-query';
import { berth } from '../../../data/berth.ts';
import { keys } from '../../../data/keys.ts';
import { isGone } from '../../../data/query-client.ts';
import { toEvidence } from './evidence.ts';

/** While it goes on, lines are added. */
const READ_EVERY_MS = 10_000;

/** The evidence of a breach: its text as it is, and what it says. */
export const useEvidence = (id: string) =>
  useQuery({
    queryKey: keys.risk.evidence(id),
    queryFn: async ({ signal }) => {
      const { text, lines } = await berth.riskBreaches.evidence(id, { signal });
      return { text, lines, evidence: toEvidence(lines) };
    },
    refetchInterval: ({ state: { data, error } }) =>
      isGone(error) || data?.evidence?.isComplete === true ? false : READ_EVERY_MS,
  });
