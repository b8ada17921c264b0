import { withClient } from '@berth/testing';

/** @returns for each table how many rows it has, and a hash of them */
export const readTables = async (url: string): Promise<Record<string, string>> =>
  withClient(url, async (client) => {
    const names = await client.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public' order by 1`,
    );
    const hashes: Record<string, string> = {};
    for (const { name } of names.rows) {
      const text = `select count(*) || ' ' || md5(coalesce(string_agg(t::text, ',' order by t::text), '')) as hash from ${name} t`;
      hashes[name] = (await client.query<{ hash: string }>(text)).rows[0]!.hash;
    }
    return hashes;
  });
