import type { RiskRule, TerminalItem } from '@berth/client';
import { useLinkProps, useNavigate, useSearch } from '@tanstack/react-router';
import { Plus, ShieldAlert } from 'lucide-react';
import { lazy, Suspense, useCallback, useMemo } from 'react';
import { useRiskRules, useRiskStates } from '../../data/risk.ts';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Failure } from '../../parts/failure.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Sheet } from '../../parts/surfaces.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useCommands } from '../../data/commands.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { Breaches } from './breaches.tsx';
import { CannotAct } from './cannot-act.tsx';
import { BlindWarning, Closest, Unguarded } from './overview.tsx';
import { useNamedTerminals } from './risk-data.ts';
import { RuleRow } from './rule-list.tsx';
import { NEW_RULE, riskTabs, type RiskTab } from './search.ts';

const words = pageTexts.risk;

const RuleDialog = lazy(async () => ({ default: (await import('./rule-dialog.tsx')).RuleDialog }));

const TabLink = ({ tab, isShown }: { tab: RiskTab; isShown: boolean }) => {
  const link = useLinkProps({ from: '/risk', to: '/risk', search: tab === 'rules' ? {} : { tab }, resetScroll: false });
  return (
    <a {...link} className="tab" aria-current={isShown ? 'page' : undefined}>
      {words.tabs[tab]}
    </a>
  );
};

/** The terminals that no rule which is on is for. */
export const listUnguarded = (rules: readonly RiskRule[], terminals: readonly TerminalItem[]): string[] => {
  const on = rules.filter(({ enabled }) => enabled);
  const isGuarded = ({ id, project_id: project }: TerminalItem): boolean =>
    on.some((rule) => rule.all || rule.project_id === project || (rule.terminal_ids?.includes(id) ?? false));
  return terminals.filter((terminal) => !isGuarded(terminal)).map(({ id }) => id);
};

interface RulesProps {
  rules: readonly RiskRule[];
  terminals: readonly TerminalItem[] | undefined;
  onEdit: (rule: string) => void;
}

const Rules = ({ rules, terminals, onEdit }: RulesProps) => {
  const { data: states = [], error, refetch } = useRiskStates(rules);
  const names = useMemo(() => new Map(terminals?.map(({ id, name }) => [id, name])), [terminals]);
  return (
    <>
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      <BlindWarning rules={rules} states={states} names={names} />
      <CannotAct rules={rules} states={states} names={names} />
      <div className="split">
        <Sheet>
          <ul className="m-0 list-none p-0">
            {rules.map((rule) => (
              <RuleRow
                key={rule.id}
                rule={rule}
                states={states.filter(({ rule_id: id }) => id === rule.id)}
                names={names}
                onEdit={({ id }) => onEdit(id)}
              />
            ))}
          </ul>
        </Sheet>
        <div className="stack">
          <Closest rules={rules} states={states} names={names} />
          {terminals === undefined ? null : (
            <Unguarded ids={listUnguarded(rules, terminals)} names={names} onAdd={() => onEdit(NEW_RULE)} />
          )}
        </div>
      </div>
    </>
  );
};

const NoRules = ({ onCreate }: { onCreate: () => void }) => (
  <Sheet>
    <EmptyState
      icon={<ShieldAlert aria-hidden="true" />}
      title={words.empty.title}
      action={
        <Button kind="primary" onClick={onCreate}>
          {words.create}
        </Button>
      }
    >
      {words.empty.text}
    </EmptyState>
  </Sheet>
);

const useOpenRule = () => {
  const navigate = useNavigate({ from: '/risk' });
  return useCallback(
    (rule: string | undefined) =>
      void navigate({
        search: ({ rule: _, terminal, ...old }) => ({
          ...old,
          ...(rule === undefined ? {} : { rule }),
          ...(terminal === undefined || rule === undefined ? {} : { terminal }),
        }),
        resetScroll: false,
      }),
    [navigate],
  );
};

/** Rules that act by themselves: how far each is from its limit, and what was done. */
export const RiskPage = () => {
  const { tab = 'rules', rule: open, terminal } = useSearch({ from: '/in/risk' });
  const { data: rules, error, refetch } = useRiskRules();
  const { data: terminals } = useNamedTerminals();
  const openRule = useOpenRule();
  const create = useCallback(() => openRule(NEW_RULE), [openRule]);
  const names = useMemo(() => new Map(terminals?.map(({ id, name }) => [id, name])), [terminals]);
  const commands = useMemo(
    () => [{ id: 'risk.create', name: words.create, words: words.words, run: create }],
    [create],
  );
  useCommands(commands);
  const unguarded = useMemo(
    () => (rules && rules.length > 0 && terminals ? listUnguarded(rules, terminals) : []),
    [rules, terminals],
  );
  const edited = rules?.find(({ id }) => id === open);
  return (
    <>
      <PageHead
        title={words.title}
        tools={
          <Button kind="primary" icon={<Plus />} onClick={create}>
            {words.create}
          </Button>
        }
      >
        {rules === undefined ? null : (
          <p className="say">{words.lead(rules.filter(({ enabled }) => enabled).length)}</p>
        )}
      </PageHead>
      <Tabs label={words.tabsLabel}>
        {riskTabs.map((each) => (
          <TabLink key={each} tab={each} isShown={each === tab} />
        ))}
      </Tabs>
      <div className="tab-body">
        {error !== null && rules === undefined ? <Failure error={error} onRetry={() => void refetch()} /> : null}
        {tab === 'breaches' ? (
          <Breaches terminalId={terminal} />
        ) : rules === undefined ? (
          error === null ? (
            <Skeleton className="h-40 w-full" />
          ) : null
        ) : rules.length === 0 ? (
          <NoRules onCreate={create} />
        ) : (
          <Rules rules={rules} terminals={terminals} onEdit={openRule} />
        )}
      </div>
      {open === NEW_RULE || edited !== undefined ? (
        <Suspense fallback={null}>
          <RuleDialog
            rule={edited}
            terminals={terminal === undefined ? unguarded : [terminal]}
            names={names}
            onClose={() => openRule(undefined)}
          />
        </Suspense>
      ) : null}
    </>
  );
};
