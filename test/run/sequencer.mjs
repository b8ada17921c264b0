import { statSync } from 'node:fs';
import { BaseSequencer } from 'vitest/node';
import { readTimes } from './times.mjs';

/** A guess for a file that has not run here yet. What spans programs starts some of them first. */
const guess = (path, sizeBytes) => sizeBytes / 500 + (/^test\/(?!house\/)/.test(path) ? 15 : 0);

/** The longest file first, so that none of them is still running when all others have ended. */
export default class LongestFirst extends BaseSequencer {
  sort(files) {
    const times = readTimes();
    const toSeconds = ({ moduleId, project }) => {
      const path = moduleId.slice(project.vitest.config.root.length + 1);
      return times[path]?.seconds ?? guess(path, statSync(moduleId).size);
    };
    const sorted = files.map((file) => ({ file, seconds: toSeconds(file) })).sort((a, b) => b.seconds - a.seconds);
    return Promise.resolve(sorted.map(({ file }) => file));
  }
}
