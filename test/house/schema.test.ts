import { createTestDatabase, withClient } from '@berth/testing';
import { expect, test } from 'vitest';
import { dumpSchema } from './schema-dump.ts';

test('apps/server/schema.sql is what the migrations come to (script/update writes it)', async () => {
  const database = await createTestDatabase();
  try {
    const schema = await withClient(database.url, dumpSchema);
    await expect(schema).toMatchFileSnapshot('../../apps/server/schema.sql');
  } finally {
    await database.close();
  }
});
