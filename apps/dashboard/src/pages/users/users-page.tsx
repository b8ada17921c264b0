import type { ManagedUser } from '@berth/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Plus, SearchX } from 'lucide-react';
import { useCallback, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Chips } from '../../parts/chips.tsx';
import { PagedListing, Total } from '../../parts/listing.tsx';
import { forOperators, useOperatorCommand } from '../../parts/operator-page.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { CreateDialog, LinkDialog } from './link-dialogs.tsx';
import { toUsersSearch, userStatuses } from './search.ts';
import { InviteDialog, OpenInvitations } from './invitations.tsx';
import { UserDialog, type AskedUser } from './user-dialog.tsx';
import { UserTable } from './user-table.tsx';
import { useUsers } from './users-data.ts';

const words = pageTexts.users;

const OperatorUsers = () => {
  const asked = useSearch({ from: '/in/users' });
  const navigate = useNavigate({ from: '/users' });
  const users = useUsers(asked);
  const [open, setOpen] = useState<AskedUser | 'create' | 'invite'>();
  const dialog = typeof open === 'object' ? open : undefined;
  const close = (): void => setOpen(undefined);
  const create = useCallback(() => setOpen('create'), []);
  const whyNot = useOperatorCommand('users.create', words.create, create);
  const onSearch = useCallback(
    (search: string) => void navigate({ search: ({ status }) => toUsersSearch({ search, status }), replace: true }),
    [navigate],
  );
  const onStatus = (status: ManagedUser['status'] | undefined) =>
    void navigate({ search: ({ search }) => toUsersSearch({ search, status }), replace: true });
  return (
    <>
      <PageHead
        title={words.title}
        tools={
          <>
            <SearchField label={words.search} value={asked.search ?? ''} onSearch={onSearch} />
            <Button whyNot={whyNot} onClick={() => setOpen('invite')}>
              {words.invite}
            </Button>
            <Button kind="primary" icon={<Plus />} whyNot={whyNot} onClick={create}>
              {words.create}
            </Button>
          </>
        }
      >
        <Total of={users.data} words={words.total} />
      </PageHead>
      <PagedListing
        reading={users}
        filters={
          <>
            <OpenInvitations />
            <div className="mb-3">
              <Chips
                label={words.filter}
                values={[undefined, ...userStatuses]}
                chosen={asked.status}
                onChoose={onStatus}
              >
                {(status) => (status === undefined ? words.all : words.statuses[status])}
              </Chips>
            </div>
          </>
        }
        empty={{
          icon: <SearchX aria-hidden="true" />,
          title: words.noMatch,
          children: words.noMatchText,
          action: <Button onClick={() => void navigate({ search: {} })}>{words.clear}</Button>,
        }}
        page={asked.page}
        onPage={(page) => void navigate({ search: (old) => ({ ...old, page }) })}
      >
        <UserTable users={users.data?.data} onAction={(action, user) => setOpen({ action, user })} />
      </PagedListing>
      <CreateDialog isOpen={open === 'create'} onClose={close} />
      <InviteDialog isOpen={open === 'invite'} onClose={close} />
      <LinkDialog user={dialog?.action === 'link' ? dialog.user : undefined} onClose={close} />
      <UserDialog asked={dialog} onClose={close} />
    </>
  );
};

export const UsersPage = forOperators(words, OperatorUsers);
