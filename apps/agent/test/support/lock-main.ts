/** Holds the lock of a file until it is killed. */
import { withFileLock } from '../../src/launchers/wine/file-lock.ts';

await withFileLock(process.argv[2]!, () => {
  process.stdout.write('held\n');
  return new Promise(() => setInterval(() => undefined, 1000));
});
