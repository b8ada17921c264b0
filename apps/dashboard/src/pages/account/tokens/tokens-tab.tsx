import { MAX_TOKENS } from '@berth/contract/values';
import type { Token } from '@berth/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { useAsked } from '../../../data/asked.ts';
import { berth } from '../../../data/berth.ts';
import { keys } from '../../../data/keys.ts';
import { Button } from '../../../parts/button.tsx';
import { Confirm } from '../../../parts/item-dialog.tsx';
import { PagedListing, Total } from '../../../parts/listing.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { useTokens } from '../account-data.ts';
import { CreateToken } from './create-token.tsx';
import { TokenTable } from './token-table.tsx';

const words = pageTexts.account.tokens;

export const TokensTab = () => {
  const { page = 1 } = useSearch({ from: '/in/account' });
  const navigate = useNavigate({ from: '/account' });
  const tokens = useTokens(page);
  const [isCreating, setCreating] = useState(false);
  const revoke = useAsked({
    run: ({ id }: Token) => berth.account.tokens.delete(id),
    done: (_nothing, { name }) => words.revoked(name),
    touches: () => [keys.account.all],
  });
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <p className="min-w-0 flex-1 basis-72 text-ink-2">{words.lead}</p>
        <Total of={tokens.data} words={(total) => words.total(total, MAX_TOKENS)} />
        <Button kind="primary" icon={<Plus />} onClick={() => setCreating(true)}>
          {words.create}
        </Button>
      </div>
      <PagedListing
        reading={tokens}
        empty={{ icon: <KeyRound aria-hidden="true" />, title: words.none, children: words.noneText }}
        page={page}
        onPage={(next) => void navigate({ search: (old) => ({ ...old, page: next }) })}
      >
        <TokenTable tokens={tokens.data?.data} onRevoke={revoke.ask} />
      </PagedListing>
      <CreateToken isOpen={isCreating} onClose={() => setCreating(false)} />
      <Confirm
        {...revoke.dialog}
        title={({ name }) => words.revokeTitle(name)}
        lead={words.revokeLead}
        typed={({ name }) => name}
        verb={words.revokeToken}
      />
    </>
  );
};
