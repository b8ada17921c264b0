import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { AuditLog } from '../../parts/audit/audit-log.tsx';
import type { AuditSearch } from '../../parts/audit/search.ts';
import { forOperators } from '../../parts/operator-page.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.audit;

const OperatorAuditLog = () => {
  const search = useSearch({ from: '/in/audit-log' });
  const navigate = useNavigate({ from: '/audit-log' });
  const onSearch = useCallback(
    (next: AuditSearch, isTyped = false) => void navigate({ search: next, replace: isTyped }),
    [navigate],
  );
  return (
    <>
      <PageHead title={words.title} />
      <AuditLog scope="all" search={search} onSearch={onSearch} />
    </>
  );
};

export const AuditPage = forOperators(words, OperatorAuditLog);
