/** What a browser loads of the client. */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const entry = join(import.meta.dirname, '../src/index.ts');

const MAX_BYTES = 14_500;

it(`the bundle for browsers is smaller than ${MAX_BYTES} bytes, gzipped`, async () => {
  const shape = { bundle: true, minify: true, format: 'esm', platform: 'browser', target: 'es2022' } as const;
  const { outputFiles } = await build({ entryPoints: [entry], ...shape, write: false });
  const bytes = gzipSync(outputFiles[0]!.contents, { level: 9 }).length;
  expect(bytes).toBeGreaterThan(3_000);
  expect(bytes).toBeLessThan(MAX_BYTES);
});

it('the bundle for browsers has of the contract tables of statuses and types, and nothing else', async () => {
  const options = { bundle: true, format: 'esm', platform: 'browser', write: false, metafile: true } as const;
  const { metafile } = await build({ entryPoints: [entry], ...options, absWorkingDir: root });
  const [{ inputs }] = Object.values(metafile.outputs) as [(typeof metafile.outputs)[string]];
  const used = Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  const foreign = used.map(([path]) => path).filter((path) => !path.startsWith('packages/client/src/'));
  expect(foreign.sort()).toEqual([
    'packages/contract/src/hosts/status.ts',
    'packages/contract/src/tasks/status.ts',
    'packages/contract/src/tasks/types.ts',
    'packages/contract/src/terminals/values.ts',
    'packages/contract/src/users/values.ts',
  ]);
});
