/** Regions: how full they are, and what an operator sets for them. */
import type { OperatorOverview, OperatorRegion } from '@berth/client';
import { DoorClosed, DoorOpen, Pencil, Plus, Star } from 'lucide-react';
import { useCallback, useState } from 'react';
import { toAddress } from '../../data/address.ts';
import { useWhyNot } from '../../data/session.ts';
import { Button } from '../../parts/button.tsx';
import { Listing } from '../../parts/listing.tsx';
import { MenuItem } from '../../parts/menu.tsx';
import { Meter } from '../../parts/meter.tsx';
import { MoreMenu } from '../../parts/more-menu.tsx';
import { useOperatorCommand } from '../../parts/operator-page.tsx';
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
  return (
    <MoreMenu label={words.more(name)} isBusy={change.isRunning}>
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
    </MoreMenu>
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
      <td className="num" data-card={waiting === 0 ? undefined : 'below'} data-label={columns.waiting}>
        {waiting === 0 ? <span className="none">{words.waiting(0)}</span> : words.waiting(waiting)}
      </td>
      <td data-card="end" className="num">
        <RowMenu region={region} onEdit={onEdit} />
      </td>
    </tr>
  );
};

export const Regions = ({ places }: { places: OperatorOverview['regions'] | undefined }) => {
  const regions = useOperatorRegions();
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
      <Listing reading={regions}>
        <Table
          caption={words.regions}
          columns={[columns.region, columns.slots, { number: columns.waiting }]}
          actions={columns.actions}
          items={regions.data}
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
      </Listing>
      <p className="text-ink-2">{words.regionNote}</p>
      <RegionDialog asked={open} onClose={() => setOpen(undefined)} />
    </section>
  );
};
