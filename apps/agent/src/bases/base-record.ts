import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '@berth/kit';

export const RECORD_FILE = 'base.json';

/** The record that is written to a base once it is complete. A terminal gets a copy of it. */
export interface BaseRecord {
  version: 1;
  platform: string;
  name: string;
  /** The terminal's program, below drive C: `MetaTrader 5/terminal64.exe`. */
  program: string;
  /** As reported in the terminal's journal. */
  build: number | null;
  /** The version that the loader which prepared it reports. */
  wine_version: string;
  /** ISO 8601 */
  prepared_at: string;
  /** Of the executables beside the program, by name. */
  sha256: Readonly<Record<string, string>>;
  /** The build that terminals stay on; null where they may follow the vendor's updates. */
  pinned_build: number | null;
  /** The link program that was compiled into it; null, or missing in older records, where there is none. */
  link?: { version: string } | null;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isBuild = (value: unknown): boolean => value === null || Number.isSafeInteger(value);

const isLink = (value: unknown): boolean => {
  const link = value as { version?: unknown } | null | undefined;
  return link === null || link === undefined || isText(link.version);
};

const isRecord = (value: unknown): value is BaseRecord => {
  const record = value as Partial<BaseRecord> | null;
  return (
    typeof record === 'object' &&
    record?.version === 1 &&
    [record.platform, record.name, record.program, record.wine_version, record.prepared_at].every(isText) &&
    [record.build, record.pinned_build].every(isBuild) &&
    typeof record.sha256 === 'object' &&
    isLink(record.link)
  );
};

/**
 * @param folder of a base, or of a terminal that was copied from one @returns undefined where there is no complete one
 */
export const findBaseRecord = async (folder: string): Promise<BaseRecord | undefined> => {
  const text = await readFile(join(folder, RECORD_FILE), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** The last thing that is written to a base: a folder without it is not a base. */
export const writeBaseRecord = (folder: string, record: BaseRecord): Promise<void> =>
  replaceFile(join(folder, RECORD_FILE), `${JSON.stringify(record, null, 2)}\n`, { mode: 0o644 });
