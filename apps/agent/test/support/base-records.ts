import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeBaseRecord, type BaseRecord } from '../../src/bases/base-record.ts';

/** Makes a base with nothing in it but its record. @param folder of all bases */
export const addBase = async (
  folder: string,
  platform: string,
  name: string,
  changes: Partial<BaseRecord> = {},
): Promise<void> => {
  mkdirSync(join(folder, platform, name, 'prefix'), { recursive: true });
  await writeBaseRecord(join(folder, platform, name), {
    version: 1,
    platform,
    name,
    program: 'MetaTrader 5/terminal64.exe',
    build: 5836,
    wine_version: '10.0',
    prepared_at: '2026-11-22T00:00:00.000Z',
    sha256: {},
    pinned_build: null,
    ...changes,
  });
};
