import type { ManagedUser } from '@berth/client';
import { Ban, Ellipsis, KeyRound, LogOut, RotateCcw, SlidersHorizontal } from 'lucide-react';
import { useProfile } from '../../data/profile.ts';
import { Button } from '../../parts/button.tsx';
import { Menu, MenuItem, MenuLine } from '../../parts/menu.tsx';
import { StatusMark, type Tone } from '../../parts/status-mark.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { ZoneNote } from '../../parts/zone.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { useReadmit } from './users-data.ts';

const words = pageTexts.users;
const { columns } = words;
const tones: Record<ManagedUser['status'], Tone> = { active: 'good', suspended: 'cut', closed: 'rest' };

export type UserAction = 'limits' | 'link' | 'signOut' | 'suspend';

export interface UserTableProps {
  /** Undefined while loading: skeleton rows reserve the space. */
  users: readonly ManagedUser[] | undefined;
  onAction: (action: UserAction, user: ManagedUser) => void;
}

const RowMenu = ({ user, onAction }: { user: ManagedUser } & Pick<UserTableProps, 'onAction'>) => {
  const readmit = useReadmit();
  const isOwn = useProfile().data?.id === user.id;
  const trigger = (
    <Button kind="bare" icon={<Ellipsis />} aria-label={words.more(user.name)} isBusy={readmit.isRunning} />
  );
  return (
    <Menu trigger={trigger}>
      <MenuItem icon={<SlidersHorizontal />} onSelect={() => onAction('limits', user)}>
        {words.limits}
      </MenuItem>
      {user.status === 'active' ? (
        <MenuItem icon={<KeyRound />} onSelect={() => onAction('link', user)}>
          {words.passwordLink}
        </MenuItem>
      ) : null}
      <MenuItem icon={<LogOut />} onSelect={() => onAction('signOut', user)}>
        {words.signOut}
      </MenuItem>
      <MenuLine />
      {user.status === 'suspended' ? (
        <MenuItem icon={<RotateCcw />} isBusy={readmit.isRunning} onSelect={() => readmit.run(user)}>
          {words.readmit}
        </MenuItem>
      ) : (
        <MenuItem
          icon={<Ban />}
          isDangerous
          whyNot={isOwn ? words.notYourself : undefined}
          onSelect={() => onAction('suspend', user)}
        >
          {words.suspend}
        </MenuItem>
      )}
    </Menu>
  );
};

const Row = ({ user, onAction }: { user: ManagedUser } & Pick<UserTableProps, 'onAction'>) => {
  const { name, email, status, suspension, limits, terminals, last_seen_at: seenAt, created_at: createdAt } = user;
  return (
    <tr>
      <td data-card="name" className="wide">
        <span className="row-name">
          <b>
            <bdi>{name}</bdi>
          </b>{' '}
          {user.is_operator ? <span className="badge">{words.operator}</span> : null}
          <small className="truncate font-text">
            <bdi>{email}</bdi>
          </small>
        </span>
      </td>
      <td data-card="below">
        <StatusMark tone={tones[status]}>{words.statuses[status]}</StatusMark>
        {suspension === null ? null : (
          <small className="block text-ink-2">
            <bdi>{suspension.reason}</bdi>
          </small>
        )}
      </td>
      <td className="num">{limits.terminals === null ? terminals : words.ofLimit(terminals, limits.terminals)}</td>
      <td className="num">{seenAt === null ? <span className="none">{words.never}</span> : <Time at={seenAt} />}</td>
      <td className="num">
        <Time at={createdAt} as="moment" />
      </td>
      <td data-card="end" className="num">
        <RowMenu user={user} onAction={onAction} />
      </td>
    </tr>
  );
};

export const UserTable = ({ users, onAction }: UserTableProps) => (
  <>
    <Table
      caption={words.caption}
      columns={[
        columns.user,
        columns.status,
        { number: columns.terminals },
        { number: columns.seen },
        { number: columns.created },
      ]}
      actions={columns.actions}
      items={users}
      expected={4}
    >
      {(user) => <Row key={user.id} user={user} onAction={onAction} />}
    </Table>
    <ZoneNote />
  </>
);
