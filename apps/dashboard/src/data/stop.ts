/** The stop of all algo trading, as the server has it: every tab shows the same. */
import type { TradingStop, TradingStopState } from '@berth/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { berth } from './berth.ts';
import { keys } from './keys.ts';

/** Live events report most changes; a confirmation that nobody here asked for is seen after this long. */
const READ_EVERY_MS = 15_000;
/** The server checks what a stop would reach once an hour. */
const READ_READINESS_EVERY_MS = 60_000;

const stopQuery = queryOptions({
  queryKey: keys.stop,
  queryFn: ({ signal }) => berth.tradingStop.get({ signal }),
  refetchInterval: ({ state: { data } }) => (data?.stop ? READ_EVERY_MS : READ_READINESS_EVERY_MS),
});

/** null: there is none; undefined: not known yet. */
export const useStop = (): TradingStop | null | undefined => useQuery(stopQuery).data?.stop;

export type Readiness = TradingStopState['readiness'];

/** Which terminals a stop would reach; undefined: not known yet. */
export const useReadiness = (): Readiness | undefined => useQuery(stopQuery).data?.readiness;
