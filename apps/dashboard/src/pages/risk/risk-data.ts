import type { NewRiskRule, RiskBreach, RiskRule, RiskRuleChanges, TerminalItem } from '@berth/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAction } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { useForm, type FieldErrors } from '../../data/form.ts';
import { keys } from '../../data/keys.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import type { RuleDraft } from './rule-draft.ts';
import { toValues } from './rule-values.ts';

const words = pageTexts.risk;
const form = pageTexts.riskForm;
/** As many as one rule can name, and as a person can choose from. */
export const MAX_NAMED = 500;
const BREACHES_PER_PAGE = 20;

/** The terminals that a rule can be for; the first ones by name where there are very many. */
export const useNamedTerminals = () => {
  const query = { sort_by: 'name', sort_direction: 'asc' } as const;
  return useQuery({
    queryKey: keys.terminals.list({ names: MAX_NAMED }),
    queryFn: async ({ signal }) => {
      const found: TerminalItem[] = [];
      for (let page = 1; found.length < MAX_NAMED; page += 1) {
        const { data, pagination } = await berth.terminals.page({ ...query, page, per_page: 100 }, { signal });
        found.push(...data);
        if (page >= pagination.last_page) break;
      }
      return found;
    },
  });
};

/** Breaches, newest first; `showMore` reads earlier ones. */
export const useBreaches = (terminalId: string | undefined) => {
  const [pages, setPages] = useState(1);
  const query = useQuery({
    queryKey: [...keys.risk.breaches, { terminalId, pages }],
    queryFn: async ({ signal }) => {
      const breaches: RiskBreach[] = [];
      let after: string | null = 'start';
      for (let page = 0; page < pages && after !== null; page += 1) {
        const terminal: { terminal_id?: string } = terminalId === undefined ? {} : { terminal_id: terminalId };
        const answer: Awaited<ReturnType<typeof berth.riskBreaches.page>> = await berth.riskBreaches.page(
          { ...terminal, after, per_page: BREACHES_PER_PAGE },
          { signal },
        );
        breaches.push(...answer.data);
        after = answer.pagination.next_cursor;
      }
      return { breaches, hasMore: after !== null };
    },
    placeholderData: keepPreviousData,
  });
  return { ...query, showMore: () => setPages(pages + 1) };
};

const touched = () => [keys.risk.all];

export const useSwitchRule = () =>
  useAction({
    run: ({ rule, enabled }: { rule: RiskRule; enabled: boolean }) => berth.riskRules.update(rule.id, { enabled }),
    done: ({ name, enabled }) => (enabled ? words.switchedOn(name) : words.switchedOff(name)),
    touches: touched,
  });

/** The form of a new rule, or of one that is changed. */
export const useRuleForm = (rule: RiskRule | undefined, onDone: () => void) =>
  useForm({
    check: (draft: RuleDraft): FieldErrors => {
      const result = toValues(draft);
      return 'errors' in result ? result.errors : {};
    },
    run: async (draft: RuleDraft): Promise<RiskRule> => {
      const result = toValues(draft);
      if ('errors' in result) throw new Error('what is sent was checked');
      const { values } = result;
      if (!rule) return berth.riskRules.create(values);
      // Of another kind it would be another rule: the API refuses it here.
      const { kind, ...changes } = values;
      return berth.riskRules.update(rule.id, toChanges(kind, changes));
    },
    done: ({ name }) => (rule ? form.changed(name) : form.created(name)),
    touches: touched,
    onDone,
  });

/** A limit that was an amount and is a percentage now has to lose the amount: null takes it out, as what a day follows. */
const toChanges = (kind: NewRiskRule['kind'], values: Omit<NewRiskRule, 'kind'>): RiskRuleChanges => ({
  ...values,
  amount: values.amount ?? null,
  percent: values.percent ?? null,
  ...(kind === 'daily_loss' ? { trail: values.trail ?? null } : {}),
});

export const useDeleteRule = (onDone: () => void) =>
  useAction({
    run: ({ id }: RiskRule) => berth.riskRules.delete(id),
    done: (_nothing, { name }) => form.deleted(name),
    touches: touched,
    onDone,
  });
