import { statSync } from 'node:fs';
import { BaseSequencer } from 'vitest/node';
import { readTimes } from './times.mjs';

/** Where a file has not run here yet, this many seconds for each byte are as good a guess as any. */
const SECONDS_PER_BYTE = 1 / 500;

/** The longest file first, so that none of them is still running when all others have ended. */
export default class LongestFirst extends BaseSequencer {
  sort(files) {
    const times = readTimes();
    const toSeconds = ({ moduleId, project }) => {
      const path = moduleId.slice(project.vitest.config.root.length + 1);
      return times[path]?.seconds ?? statSync(moduleId).size * SECONDS_PER_BYTE;
    };
    const sorted = files.map((file) => ({ file, seconds: toSeconds(file) })).sort((a, b) => b.seconds - a.seconds);
    return Promise.resolve(sorted.map(({ file }) => file));
  }
}
