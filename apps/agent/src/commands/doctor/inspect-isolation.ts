import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeIsolation, type IsolationFacts } from '../../launchers/wine/isolation/capabilities.ts';
import { writeBoxFiles } from '../../launchers/wine/isolation/box-files.ts';
import type { WineSettings } from '../../launchers/wine/settings.ts';

/** Tests the isolation of terminals by starting an empty box. */
export const inspectIsolation = async ({ isolation, privateNetworks }: WineSettings): Promise<IsolationFacts> => {
  // Not in the agent's folder: this inspects the machine, and changes nothing there.
  const folder = await mkdtemp(join(tmpdir(), 'berth-doctor-'));
  try {
    const files = await writeBoxFiles(folder, { privateNetworks });
    return await describeIsolation({ wanted: isolation, files });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Of Yama; undefined where the kernel has none. */
export const findPtraceScope = async (): Promise<number | undefined> => {
  const text = await readFile('/proc/sys/kernel/yama/ptrace_scope', 'utf8').catch(() => '');
  return /^\d/.test(text) ? Number(text) : undefined;
};
