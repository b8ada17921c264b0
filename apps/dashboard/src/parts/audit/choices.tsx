/** What a text may mean that is neither an action nor an ID: nothing is listed until one is chosen. */
import { useQuery } from '@tanstack/react-query';
import { SearchX } from 'lucide-react';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { EmptyState } from '../empty-state.tsx';
import { Sheet } from '../surfaces.tsx';
import type { AuditScope } from './audit-data.ts';
import type { AuditSearch } from './search.ts';

const words = pageTexts.audit;

interface Choice {
  label: string;
  search: AuditSearch;
}

const MAX_USERS = 10;
const MAX_HOSTS = 100;

const toActions = (text: string): Choice[] =>
  Object.entries(words.actions)
    .filter((names) => names.some((name) => name.toLowerCase().includes(text)))
    .map(([action, label]) => ({ label, search: { action } }));

const useNamed = (scope: AuditScope, text: string): Choice[] | undefined => {
  const enabled = scope === 'all';
  const query = { search: text, per_page: MAX_USERS };
  const users = useQuery({
    queryKey: keys.users.list(query),
    queryFn: ({ signal }) => berth.operator.users.page(query, { signal }),
    enabled,
  });
  const hosts = useQuery({
    queryKey: keys.hosts.list({ per_page: MAX_HOSTS }),
    queryFn: ({ signal }) => berth.operator.hosts.page({ per_page: MAX_HOSTS }, { signal }),
    enabled,
  });
  if (users.isLoading || hosts.isLoading) return undefined;
  return [
    ...(users.data?.data ?? []).flatMap(({ id, name, email }) => [
      { label: words.byUser(name, email), search: { actor: id } },
      { label: words.toUser(name, email), search: { target: id } },
    ]),
    ...(hosts.data?.data ?? [])
      .filter(({ name }) => name.toLowerCase().includes(text))
      .map(({ id, name }) => ({ label: words.toHost(name), search: { target: id } })),
  ];
};

export const Choices = ({
  scope,
  text,
  onChoose,
}: {
  scope: AuditScope;
  text: string;
  onChoose: (search: AuditSearch) => void;
}) => {
  const sought = text.toLowerCase();
  const named = useNamed(scope, sought);
  const choices = [...toActions(sought), ...(named ?? [])];
  const isNone = named !== undefined && choices.length === 0;
  const list = (
    <ul className="grid gap-1">
      {choices.map(({ label, search }) => (
        <li key={JSON.stringify(search)}>
          <button type="button" className="link" onClick={() => onChoose(search)}>
            {label}
          </button>
        </li>
      ))}
    </ul>
  );
  return (
    <Sheet>
      <EmptyState
        icon={<SearchX aria-hidden="true" />}
        title={isNone ? words.noMatch : words.whichOne}
        action={isNone ? null : list}
      >
        {isNone ? words.noChoice[scope] : undefined}
      </EmptyState>
    </Sheet>
  );
};
