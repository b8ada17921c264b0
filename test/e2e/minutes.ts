/** What is measured is shown by the minute, once that is over. */
import { withClient, type TestStack } from '@berth/testing';

/** Puts what was measured of a terminal last into the minute before: it is as if that had passed. */
export const endMinute = async ({ databaseUrl }: TestStack, terminalId: string): Promise<void> => {
  const text = `update terminal_loads set minute_at = minute_at - interval '1 minute' where terminal_id = $1`;
  await withClient(databaseUrl, (client) => client.query(text, [terminalId]));
};
