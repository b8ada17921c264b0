/** Regions: how full they are, and what an operator sets for them. */
import type { OperatorOverview, OperatorRegion } from '@berth/client';
import { DoorClosed, DoorOpen, Ellipsis, Pencil, Plus, Star } from 'lucide-react';
import { useCallback, useState } from 'react';
import { toAddress } from '../../data/address.ts';
import { useWhyNot } from '../../data/session.ts';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Menu, MenuItem } from '../../parts/menu.tsx';
import { Meter } from '../../parts/meter.tsx';
import { useOperatorCommand } from '../../parts/operator-page.tsx';
import { Sheet } from '../../parts/surfaces.tsx';
import { Table } from '../../parts/table.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { RegionDialog } from './region-dialog.tsx';
import { useOperatorRegions, useRegionChange } from './regions-data.ts';

const words = pageTexts.overview;
const { regionColumns: columns } = words;

interface RowProps {
  region: OperatorRegion;
  places: OperatorOverview['regions'][number] | undefined;
  onEdit: (region: OperatorRegion) => void;
}

const RowMenu = ({ region, onEdit }: Pick<RowProps, 'region' | 'onEdit'>) => {
  const change = useRegionChange();
  const whyNot = useWhyNot('operator');
  const { id, name, is_default: isDefault, accepts_terminals: accepts } = region;
  const trigger = <Button kind="bare" icon={<Ellipsis />} aria-label={words.more(name)} isBusy={change.isRunning} />;
  return (
    <Menu trigger={trigger}>
      <MenuItem icon={<Pencil />} whyNot={whyNot} onSelect={() => onEdit(region)}>
        {words.edit}
      </MenuItem>
      {isDefault ? null : (
        <MenuItem
          icon={<Star />}
          whyNot={whyNot ?? (accepts ? undefined : words.notDefaultClosed)}
          onSelect={() => change.run({ id, changes: { is_default: true } })}
        >
          {words.makeDefault}
        </MenuItem>
      )}
      <MenuItem
        icon={accepts ? <DoorClosed /> : <DoorOpen />}
        whyNot={whyNot ?? (isDefault ? words.notClosedDefault : undefined)}
        onSelect={() => change.run({ id, changes: { accepts_terminals: !accepts } })}
      >
        {accepts ? words.close : words.open}
      </MenuItem>
    </Menu>
  );
};

const Row = ({ region, places, onEdit }: RowProps) => {
  const { name, flag, is_default: isDefault, accepts_terminals: accepts } = region;
  const { held = 0, capacity = 0, waiting = 0 } = places ?? {};
  const text = words.slots(held, capacity);
  return (
    <tr>
      <td data-card="name">
        <img className="flag" src={toAddress(`/flags/${flag}.svg`)} alt="" />
        <bdi>{name}</bdi> {isDefault ? <span className="badge">{words.default}</span> : null}
        {accepts ? null : <span className="badge">{words.closed}</span>}
      </td>
      <td data-card="below" className="region-slots">
        <span className="figure">{text}</span>
        <Meter part={capacity === 0 ? 0 : held / capacity} label={`${columns.slots}: ${text}`} />
      </td>
      <td className="num">
        {waiting === 0 ? <span className="none">{words.waiting(0)}</span> : words.waiting(waiting)}
      </td>
      <td data-card="end" className="num">
        <RowMenu region={region} onEdit={onEdit} />
      </td>
    </tr>
  );
};

export const Regions = ({ places }: { places: OperatorOverview['regions'] | undefined }) => {
  const { data, error, refetch } = useOperatorRegions();
  const [open, setOpen] = useState<{ region: OperatorRegion | undefined }>();
  const add = useCallback(() => setOpen({ region: undefined }), []);
  const whyNot = useOperatorCommand('regions.add', words.addRegion, add);
  return (
    <section className="mb-4 grid gap-2">
      <header className="flex flex-wrap items-center gap-3">
        <h2>{words.regions}</h2>
        <Button className="ml-auto" icon={<Plus />} whyNot={whyNot} onClick={add}>
          {words.addRegion}
        </Button>
      </header>
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      <Sheet>
        <Table
          caption={words.regions}
          columns={[columns.region, columns.slots, { number: columns.waiting }]}
          actions={columns.actions}
          items={data}
          expected={4}
        >
          {(region) => (
            <Row
              key={region.id}
              region={region}
              places={places?.find(({ id }) => id === region.id)}
              onEdit={(chosen) => setOpen({ region: chosen })}
            />
          )}
        </Table>
      </Sheet>
      <p className="text-ink-2">{words.regionNote}</p>
      <RegionDialog asked={open} onClose={() => setOpen(undefined)} />
    </section>
  );
};
