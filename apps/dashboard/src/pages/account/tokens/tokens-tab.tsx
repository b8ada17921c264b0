import { MAX_TOKENS } from '@berth/contract/values';
import type { Token } from '@berth/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { useAction } from '../../../data/action.ts';
import { berth } from '../../../data/berth.ts';
import { keys } from '../../../data/keys.ts';
import { Button } from '../../../parts/button.tsx';
import { ConfirmByName } from '../../../parts/confirm-by-name.tsx';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { Pager } from '../../../parts/pager.tsx';
import { Sheet } from '../../../parts/surfaces.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { useTokens } from '../account-data.ts';
import { CreateToken } from './create-token.tsx';
import { TokenTable } from './token-table.tsx';

const words = pageTexts.account.tokens;

const RevokeToken = ({ token, onClose }: { token: Token | undefined; onClose: () => void }) => {
  const revoke = useAction({
    run: ({ id }: Token) => berth.account.tokens.delete(id),
    done: (_nothing, { name }) => words.revoked(name),
    touches: () => [keys.account.all],
    onDone: onClose,
  });
  return (
    <ConfirmByName
      title={words.revokeTitle(token?.name ?? '')}
      name={token?.name ?? ''}
      verb={words.revokeToken}
      isOpen={token !== undefined}
      isBusy={revoke.isRunning}
      onClose={onClose}
      onConfirm={() => (token ? revoke.run(token) : undefined)}
    >
      {words.revokeLead}
    </ConfirmByName>
  );
};

export const TokensTab = () => {
  const { page = 1 } = useSearch({ from: '/in/account' });
  const navigate = useNavigate({ from: '/account' });
  const { data, error, refetch } = useTokens(page);
  const [isCreating, setCreating] = useState(false);
  const [toRevoke, setToRevoke] = useState<Token>();
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <p className="min-w-0 flex-1 basis-72 text-ink-2">{words.lead}</p>
        {data === undefined ? null : (
          <span className="figure text-ink-3">{words.total(data.pagination.total, MAX_TOKENS)}</span>
        )}
        <Button kind="primary" icon={<Plus />} onClick={() => setCreating(true)}>
          {words.create}
        </Button>
      </div>
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      {error !== null && data === undefined ? null : (
        <Sheet>
          {data?.data.length === 0 ? (
            <EmptyState icon={<KeyRound aria-hidden="true" />} title={words.none}>
              {words.noneText}
            </EmptyState>
          ) : (
            <TokenTable tokens={data?.data} onRevoke={setToRevoke} />
          )}
        </Sheet>
      )}
      <Pager
        page={page}
        lastPage={data?.pagination.last_page ?? 1}
        onPage={(next) => void navigate({ search: (old) => ({ ...old, page: next }) })}
      />
      <CreateToken isOpen={isCreating} onClose={() => setCreating(false)} />
      <RevokeToken token={toRevoke} onClose={() => setToRevoke(undefined)} />
    </>
  );
};
