import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { AuditLog } from '../../parts/audit/audit-log.tsx';
import type { AuditSearch } from '../../parts/audit/search.ts';
import { pageTexts } from '../../texts/page-texts.ts';

/** What the user did, and what was done to what is theirs. */
export const AuditTab = () => {
  const { tab: _tab, page: _page, only: _only, ...search } = useSearch({ from: '/in/account' });
  const navigate = useNavigate({ from: '/account' });
  const onSearch = useCallback(
    ({ actor: _actor, ...next }: AuditSearch, isTyped = false) =>
      void navigate({ search: { tab: 'audit', ...next }, replace: isTyped }),
    [navigate],
  );
  return (
    <>
      <p className="mb-4 text-ink-2">{pageTexts.audit.lead}</p>
      <AuditLog scope="own" search={search} onSearch={onSearch} />
    </>
  );
};
