import type { OperatorOverview, Region } from '@berth/client';
import { useState } from 'react';
import { useOverview } from '../../data/overview.ts';
import { useRegions } from '../../data/regions.ts';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Meter } from '../../parts/meter.tsx';
import { NameCell } from '../../parts/name-cell.tsx';
import { Shape } from '../../parts/status-mark.tsx';
import { Sheet } from '../../parts/surfaces.tsx';
import { Table } from '../../parts/table.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { Flag } from './flag.tsx';

const words = pageTexts.hosts;
const { columns } = words;

type RegionPlaces = OperatorOverview['regions'][number];
type UserPlaces = OperatorOverview['users'][number];

const Waiting = ({ waiting, children }: { waiting: number; children: string }) => (
  <span className="status" data-tone={waiting > 0 ? 'wait' : undefined}>
    {waiting > 0 ? <Shape tone="wait" /> : null}
    <span className="figure">{children}</span>
  </span>
);

const RegionRow = ({ places, region }: { places: RegionPlaces; region: Region | undefined }) => {
  const { name, capacity, held, free, waiting } = places;
  const text = words.slotsText(held, capacity);
  return (
    <tr>
      <td data-card="name">
        {region === undefined ? null : <Flag region={region} />}
        {name}
      </td>
      <td data-card="below" className="region-slots">
        <span className="figure">{text}</span>
        <Meter part={capacity === 0 ? 0 : held / capacity} label={`${words.slots}: ${text}`} />
      </td>
      <td data-card="end">
        <Waiting waiting={waiting}>{words.free(waiting, free)}</Waiting>
      </td>
    </tr>
  );
};

const UserRow = ({ user: { name, email, held, waiting } }: { user: UserPlaces }) => (
  <tr>
    <NameCell note={email}>{name}</NameCell>
    <td data-card="end" className="num">
      {words.held(held)}
    </td>
    <td data-card={waiting > 0 ? 'below' : undefined} className="num">
      {waiting > 0 ? <Waiting waiting={waiting}>{words.waiting(waiting)}</Waiting> : <span className="none">–</span>}
    </td>
  </tr>
);

const SHOWN_USERS = 5;

const Users = ({ users }: { users: readonly UserPlaces[] }) => {
  const [areAllShown, setAllShown] = useState(false);
  const shown = areAllShown ? users : users.slice(0, SHOWN_USERS);
  return (
    <section className="grid gap-2">
      <h2>{words.users}</h2>
      <Sheet>
        <Table
          caption={words.users}
          columns={[columns.user, { number: columns.held }, { number: columns.waiting }]}
          items={shown}
          expected={SHOWN_USERS}
        >
          {(user) => <UserRow key={user.id} user={user} />}
        </Table>
      </Sheet>
      {shown.length < users.length ? (
        <Button className="justify-self-start" onClick={() => setAllShown(true)}>
          {words.allUsers(users.length)}
        </Button>
      ) : null}
      {users.some(({ waiting }) => waiting > 0) ? <p className="text-ink-2">{words.limits}</p> : null}
    </section>
  );
};

/** How many slots each region has left, who holds them, and who waits for one. */
export const Places = () => {
  const { data, error, refetch } = useOverview();
  const { data: regions = [] } = useRegions();
  if (error !== null && data === undefined) return <Failure error={error} onRetry={() => void refetch()} />;
  return (
    <div className="places">
      <section className="grid gap-2">
        <h2>{words.regions}</h2>
        <Sheet>
          <Table
            caption={words.regions}
            columns={[columns.region, columns.slots, columns.free]}
            items={data?.regions}
            expected={4}
          >
            {(places) => (
              <RegionRow key={places.id} places={places} region={regions.find(({ id }) => id === places.id)} />
            )}
          </Table>
        </Sheet>
        {data !== undefined && data.waiting_any_region > 0 ? (
          <p className="text-ink-2">{words.waitingAnyRegion(data.waiting_any_region)}</p>
        ) : null}
      </section>
      {data === undefined || data.users.length === 0 ? null : <Users users={data.users} />}
    </div>
  );
};
