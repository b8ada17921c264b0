import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';

/** A new folder for each test of a file, removed after it, and after whatever later hooks end in it. */
export const useFolder = (onCreated: (folder: string) => unknown): void => {
  let folder: string;
  beforeEach(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'berth-agent-')));
    await onCreated(folder);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
};
