/** What is measured is shown by the minute, once that is over. */
import { withClient, type TestStack } from '@berth/testing';

/** Puts what was measured of a terminal last into the minute before: it is as if that had passed. */
export const endMinute = async ({ databaseUrl }: TestStack, terminalId: string): Promise<void> => {
  const text = `update terminal_loads set minute_at = minute_at - interval '1 minute' where terminal_id = $1`;
  await withClient(databaseUrl, (client) => client.query(text, [terminalId]));
};

/** A minute of the hour before, as a host would have had it. */
export const plantHostMinute = async ({ databaseUrl }: TestStack, hostId: string): Promise<void> => {
  const text = `insert into host_minutes (host_id, hour_at, load_percent, memory_mb, disk_mb)
    values ($1, date_bin('1 hour', now() - interval '1 hour', timestamptz 'epoch'), '{70}', '{1833}', '{187363}')
    on conflict do nothing`;
  await withClient(databaseUrl, (client) => client.query(text, [hostId]));
};
