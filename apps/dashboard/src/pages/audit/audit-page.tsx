import { useNavigate, useSearch } from '@tanstack/react-router';
import { ShieldAlert } from 'lucide-react';
import { useCallback } from 'react';
import { useUser } from '../../data/session.ts';
import { AuditLog } from '../../parts/audit/audit-log.tsx';
import type { AuditSearch } from '../../parts/audit/search.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Sheet } from '../../parts/surfaces.tsx';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.audit;

const OperatorAuditLog = () => {
  const search = useSearch({ from: '/in/audit-log' });
  const navigate = useNavigate({ from: '/audit-log' });
  const onSearch = useCallback(
    (next: AuditSearch, isTyped = false) => void navigate({ search: next, replace: isTyped }),
    [navigate],
  );
  return <AuditLog scope="all" search={search} onSearch={onSearch} />;
};

export const AuditPage = () => {
  const { is_operator: isOperator } = useUser();
  return (
    <>
      <PageHead title={words.title} />
      {isOperator ? (
        <OperatorAuditLog />
      ) : (
        <Sheet>
          <EmptyState icon={<ShieldAlert aria-hidden="true" />} title={words.onlyOperators}>
            {words.onlyOperatorsText}
          </EmptyState>
        </Sheet>
      )}
    </>
  );
};
