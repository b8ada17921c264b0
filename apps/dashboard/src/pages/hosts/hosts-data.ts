import type { Host, JoinTokenRecord } from '@berth/client';
import { useAction } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { useReading } from '../../data/reading.ts';
import { serverNow } from '../../data/server-clock.ts';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';

const PER_PAGE = 24;
/** A host sends a heartbeat every 5 s, and no event reports it. */
const HEARD_EVERY_MS = 5_000;

export const useHosts = (page: number) => {
  const query = { page, per_page: PER_PAGE, include: 'details' as const };
  return useReading(keys.hosts.list(query), (request) => berth.operator.hosts.page(query, request), HEARD_EVERY_MS);
};

const COUNTED_EVERY_MS = 10_000;
const TERMINALS_PER_PAGE = 20;

/** Only operators' own terminals are reported by events. */
export const useHostTerminals = (id: string, page: number) => {
  const query = { page, per_page: TERMINALS_PER_PAGE };
  return useReading(
    keys.hosts.terminals(id, query),
    (request) => berth.operator.hosts.terminals(id, query, request),
    HEARD_EVERY_MS,
  );
};

export const useRetire = (onDone: () => void) =>
  useAction({
    run: ({ id }: Host) => berth.operator.hosts.retire(id),
    done: (_id, { name }) => pageTexts.hosts.retired(isolate(name)),
    touches: () => [keys.hosts.all],
    onDone,
  });

export const useCordon = () =>
  useAction({
    run: ({ id, cordoned = false }: Host) => berth.operator.hosts.update(id, { cordoned: !cordoned }),
    done: ({ name, cordoned }) => pageTexts.hosts.cordonedOrNot(isolate(name), cordoned === true),
    touches: () => [keys.hosts.all],
  });

export const useEndDrain = (onDone: () => void) =>
  useAction({
    run: ({ host, uncordon }: { host: Host; uncordon: boolean }) =>
      berth.operator.hosts.endDrain(host.id, { uncordon }),
    done: ({ name }) => pageTexts.hosts.drainEnded(isolate(name)),
    touches: () => [keys.hosts.all],
    onDone,
  });

const DAY_MS = 86_400_000;
export const rangeMs = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS };
export type Range = keyof typeof rangeMs;
const SAMPLED_EVERY_MS = 60_000;

export const useHostSamples = (id: string, range: Range) =>
  useReading(
    keys.hosts.samples(id, { range }),
    (request) => {
      const from = new Date(serverNow() - rangeMs[range]).toISOString();
      return berth.operator.hosts.samples(id, { from, step: range === 'day' ? 1 : 15 }, request);
    },
    SAMPLED_EVERY_MS,
  );

const TOKENS_PER_PAGE = 5;

export const useJoinTokens = (page: number) => {
  const query = { page, per_page: TOKENS_PER_PAGE };
  return useReading(
    keys.hosts.joinTokens(query),
    (request) => berth.operator.joinTokens.page(query, request),
    COUNTED_EVERY_MS,
  );
};

export const useRevoke = () =>
  useAction({
    run: ({ id }: JoinTokenRecord) => berth.operator.joinTokens.revoke(id),
    done: (_nothing, { name }) => pageTexts.hosts.revoked(isolate(name)),
    touches: () => [keys.hosts.all],
  });
