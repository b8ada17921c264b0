import type { ManagedUser } from '@berth/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Plus, SearchX, ShieldAlert } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { useUser, useWhyNot } from '../../data/session.ts';
import { Button } from '../../parts/button.tsx';
import { Chips } from '../../parts/chips.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Failure } from '../../parts/failure.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Pager } from '../../parts/pager.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Sheet } from '../../parts/surfaces.tsx';
import { useCommands } from '../../shell/commands.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { CreateDialog, LinkDialog } from './link-dialogs.tsx';
import { userStatuses } from './search.ts';
import { InviteDialog, OpenInvitations } from './invitations.tsx';
import { CloseDialog, RoleDialog } from './owner-dialogs.tsx';
import { LimitsDialog, SignOutDialog, SuspendDialog } from './user-dialogs.tsx';
import { UserTable, type UserAction } from './user-table.tsx';
import { useUsers } from './users-data.ts';

const words = pageTexts.users;

interface Open {
  action: UserAction | 'create' | 'invite';
  user?: ManagedUser;
}

const Dialogs = ({ open, onClose }: { open: Open | undefined; onClose: () => void }) => {
  const toUser = (action: UserAction) => (open?.action === action ? open.user : undefined);
  return (
    <>
      <CreateDialog isOpen={open?.action === 'create'} onClose={onClose} />
      <InviteDialog isOpen={open?.action === 'invite'} onClose={onClose} />
      <LinkDialog user={toUser('link')} onClose={onClose} />
      <LimitsDialog user={toUser('limits')} onClose={onClose} />
      <SuspendDialog user={toUser('suspend')} onClose={onClose} />
      <SignOutDialog user={toUser('signOut')} onClose={onClose} />
      <RoleDialog user={toUser('role')} onClose={onClose} />
      <CloseDialog user={toUser('close')} onClose={onClose} />
    </>
  );
};

const OperatorUsers = () => {
  const asked = useSearch({ from: '/in/users' });
  const navigate = useNavigate({ from: '/users' });
  const { data, error, refetch } = useUsers(asked);
  const [open, setOpen] = useState<Open>();
  const create = useCallback(() => setOpen({ action: 'create' }), []);
  const whyNot = useWhyNot('operator');
  useCommands(
    useMemo(
      () => (whyNot === undefined ? [{ id: 'users.create', name: words.create, run: create }] : []),
      [create, whyNot],
    ),
  );
  const onSearch = useCallback(
    (search: string) =>
      void navigate({
        search: ({ status }) => ({ ...(search === '' ? {} : { search }), ...(status === undefined ? {} : { status }) }),
        replace: true,
      }),
    [navigate],
  );
  const onStatus = (status: ManagedUser['status'] | undefined) =>
    void navigate({
      search: ({ search }) => ({
        ...(search === undefined ? {} : { search }),
        ...(status === undefined ? {} : { status }),
      }),
      replace: true,
    });
  const isEmpty = data?.data.length === 0;
  return (
    <>
      <PageHead
        title={words.title}
        tools={
          <>
            <SearchField label={words.search} value={asked.search ?? ''} onSearch={onSearch} />
            <Button whyNot={whyNot} onClick={() => setOpen({ action: 'invite' })}>
              {words.invite}
            </Button>
            <Button kind="primary" icon={<Plus />} whyNot={whyNot} onClick={create}>
              {words.create}
            </Button>
          </>
        }
      >
        {data === undefined ? null : <span className="figure text-ink-3">{words.total(data.pagination.total)}</span>}
      </PageHead>
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      <OpenInvitations />
      <div className="mb-3">
        <Chips label={words.filter} values={[undefined, ...userStatuses]} chosen={asked.status} onChoose={onStatus}>
          {(status) => (status === undefined ? words.all : words.statuses[status])}
        </Chips>
      </div>
      {isEmpty ? (
        <Sheet>
          <EmptyState
            icon={<SearchX aria-hidden="true" />}
            title={words.noMatch}
            action={<Button onClick={() => void navigate({ search: {} })}>{words.clear}</Button>}
          >
            {words.noMatchText}
          </EmptyState>
        </Sheet>
      ) : null}
      {isEmpty || (error !== null && data === undefined) ? null : (
        <Sheet>
          <UserTable users={data?.data} onAction={(action, user) => setOpen({ action, user })} />
        </Sheet>
      )}
      <Pager
        page={asked.page ?? 1}
        lastPage={data?.pagination.last_page ?? 1}
        onPage={(page) => void navigate({ search: (old) => ({ ...old, page }) })}
      />
      <Dialogs open={open} onClose={() => setOpen(undefined)} />
    </>
  );
};

export const UsersPage = () => {
  const { is_operator: isOperator } = useUser();
  if (isOperator) return <OperatorUsers />;
  return (
    <>
      <PageHead title={words.title} />
      <Sheet>
        <EmptyState icon={<ShieldAlert aria-hidden="true" />} title={words.onlyOperators}>
          {words.onlyOperatorsText}
        </EmptyState>
      </Sheet>
    </>
  );
};
