import { useQuery } from '@tanstack/react-query';
import type { OperatorRegion, RegionChanges } from '@berth/client';
import { useAction } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';

/** What a change of a region makes stale. */
export const regionKeys = [keys.regions, keys.hosts.overview];

export const useOperatorRegions = () =>
  useQuery({ queryKey: keys.operatorRegions, queryFn: ({ signal }) => berth.operator.regions.list({ signal }) });

export const useRegionChange = () =>
  useAction({
    run: ({ id, changes }: { id: OperatorRegion['id']; changes: RegionChanges }) =>
      berth.operator.regions.update(id, changes),
    done: ({ name }) => pageTexts.overview.regionSaved(isolate(name)),
    touches: () => regionKeys,
  });
