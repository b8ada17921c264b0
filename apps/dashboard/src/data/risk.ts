/** Rules of risk and how they fare, for the page Risk and for the tab Trading. */
import type { RiskRule, RiskState } from '@berth/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { berth } from './berth.ts';
import { keys } from './keys.ts';

/** As often as somebody looks; many rules are many requests, and share a limit with everything else. */
const STATES_EVERY_MS = 10_000;
const PER_RULE_MS = 1_500;
/** Terminals of one rule whose state is read; their dots would lie upon each other long before. */
const MAX_STATES = 1_000;
const AT_ONCE = 4;

export const useRiskRules = () =>
  useQuery({
    queryKey: keys.risk.rules,
    queryFn: ({ signal }) => berth.riskRules.list({ signal }).toArray(),
  });

const readStates = async (rule: RiskRule, signal: AbortSignal): Promise<RiskState[]> => {
  const states: RiskState[] = [];
  for await (const state of berth.riskRules.states(rule.id, { signal })) {
    states.push(state);
    if (states.length === MAX_STATES) break;
  }
  return states;
};

/** The states of the rules that are on; only those of a terminal, where one is given. */
export const useRiskStates = (rules: readonly RiskRule[] | undefined, terminalId?: string) => {
  const watching = rules?.filter(({ enabled }) => enabled) ?? [];
  return useQuery({
    queryKey: [...keys.risk.states, watching.map(({ id }) => id)],
    queryFn: async ({ signal }) => {
      const states: RiskState[] = [];
      for (let from = 0; from < watching.length; from += AT_ONCE) {
        const some = watching.slice(from, from + AT_ONCE);
        states.push(...(await Promise.all(some.map((rule) => readStates(rule, signal)))).flat());
      }
      return states;
    },
    enabled: rules !== undefined,
    select: (states) => (terminalId === undefined ? states : states.filter(({ terminal_id: id }) => id === terminalId)),
    placeholderData: keepPreviousData,
    refetchInterval: Math.max(STATES_EVERY_MS, watching.length * PER_RULE_MS),
  });
};
