import type { ManagedUser } from '@berth/client';
import { Ban, KeyRound, LogOut, RotateCcw, SlidersHorizontal, UserCog, UserX } from 'lucide-react';
import { useProfile } from '../../data/profile.ts';
import { useWhyNot } from '../../data/session.ts';
import { toBytesText } from '../../parts/bytes.ts';
import { MenuItem, MenuLine } from '../../parts/menu.tsx';
import { MoreMenu } from '../../parts/more-menu.tsx';
import { NameCell } from '../../parts/name-cell.tsx';
import { StatusMark, type Tone } from '../../parts/status-mark.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { ZoneNote } from '../../parts/zone.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { useReadmit, useReopen } from './users-data.ts';

const MIB = 1024 * 1024;
const words = pageTexts.users;
const { columns } = words;
const tones: Record<ManagedUser['status'], Tone> = { active: 'good', suspended: 'cut', closed: 'rest' };

export type UserAction = 'limits' | 'link' | 'signOut' | 'role' | 'suspend' | 'close';

export interface UserTableProps {
  /** Undefined while loading: skeleton rows reserve the space. */
  users: readonly ManagedUser[] | undefined;
  onAction: (action: UserAction, user: ManagedUser) => void;
}

const RowMenu = ({ user, onAction }: { user: ManagedUser } & Pick<UserTableProps, 'onAction'>) => {
  const readmit = useReadmit();
  const reopen = useReopen();
  const isOwn = useProfile().data?.id === user.id;
  const onlyOwners = useWhyNot('owner');
  const onlyOperators = useWhyNot('operator');
  const whyNot = user.role === null || isOwn ? onlyOperators : onlyOwners;
  return (
    <MoreMenu label={words.more(user.name)} isBusy={readmit.isRunning || reopen.isRunning}>
      <MenuItem icon={<SlidersHorizontal />} whyNot={whyNot} onSelect={() => onAction('limits', user)}>
        {words.limits}
      </MenuItem>
      {user.status === 'active' ? (
        <MenuItem icon={<KeyRound />} whyNot={whyNot} onSelect={() => onAction('link', user)}>
          {words.passwordLink}
        </MenuItem>
      ) : null}
      <MenuItem icon={<LogOut />} whyNot={whyNot} onSelect={() => onAction('signOut', user)}>
        {words.signOut}
      </MenuItem>
      <MenuItem icon={<UserCog />} whyNot={onlyOwners} onSelect={() => onAction('role', user)}>
        {words.role}
      </MenuItem>
      <MenuLine />
      {user.status === 'suspended' ? (
        <MenuItem icon={<RotateCcw />} whyNot={whyNot} isBusy={readmit.isRunning} onSelect={() => readmit.run(user)}>
          {words.readmit}
        </MenuItem>
      ) : null}
      {user.status === 'active' ? (
        <MenuItem
          icon={<Ban />}
          isDangerous
          whyNot={isOwn ? words.notYourself : whyNot}
          onSelect={() => onAction('suspend', user)}
        >
          {words.suspend}
        </MenuItem>
      ) : null}
      {user.status === 'closed' ? (
        <MenuItem icon={<RotateCcw />} whyNot={onlyOwners} isBusy={reopen.isRunning} onSelect={() => reopen.run(user)}>
          {words.reopen}
        </MenuItem>
      ) : (
        <MenuItem
          icon={<UserX />}
          isDangerous
          whyNot={isOwn ? words.notYourselfClosed : onlyOwners}
          onSelect={() => onAction('close', user)}
        >
          {words.closeAccount}
        </MenuItem>
      )}
    </MoreMenu>
  );
};

const Row = ({ user, onAction }: { user: ManagedUser } & Pick<UserTableProps, 'onAction'>) => {
  const { name, email, status, suspension, limits, terminals, last_seen_at: seenAt, created_at: createdAt } = user;
  const stored = toBytesText(user.storage_used_mib * MIB);
  return (
    <tr>
      <NameCell badge={user.role && words.roles[user.role]} note={email}>
        {name}
      </NameCell>
      <td data-card="below">
        <StatusMark tone={tones[status]}>{words.statuses[status]}</StatusMark>
        {suspension === null ? null : (
          <small className="block text-ink-2">
            <bdi>{suspension.reason}</bdi>
          </small>
        )}
        {user.closes_at === null ? null : (
          <small className="block text-ink-2">
            {words.removedOn} <Time at={user.closes_at} as="moment" />
          </small>
        )}
      </td>
      <td className="num" data-card="below" data-label={columns.terminals}>
        {limits.terminals === null ? terminals : words.ofLimit(terminals, limits.terminals)}
      </td>
      <td className="num" data-card="below" data-label={columns.storage}>
        {limits.storage_mib === null ? stored : words.ofLimit(stored, toBytesText(limits.storage_mib * MIB))}
      </td>
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
        { number: columns.storage },
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
