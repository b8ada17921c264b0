/**
 * Clients that others generate from the document of a running server: `openapi-typescript` with `openapi-fetch`, and
 * `@hey-api/openapi-ts`. They compile in strict mode, and create a real task.
 */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { TaskType } from '@berth/contract';
import { createClient } from '@hey-api/openapi-ts';
import { useTestServer } from '@berth/testing';
import { build } from 'esbuild';
import openapiTS, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';

const here = join(import.meta.dirname, 'generated-clients');
// Inside the checkout, where the packages that they import are found.
const folder = join(import.meta.dirname, `../../.build/generated-clients-${process.pid}`);

const programs = ['with-openapi-fetch', 'with-hey-api'];

const server = useTestServer({ config: { defaultPlatform: 'sandbox' } });
let document: object;

beforeAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  document = (await server.request('GET', '/openapi.json')).body as object;
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const settings = {
    compilerOptions: {
      ...{ strict: true, noEmit: true, skipLibCheck: true, types: [] },
      ...{ target: 'es2023', lib: ['es2023', 'dom', 'dom.iterable'], module: 'esnext', moduleResolution: 'bundler' },
    },
    include: ['.'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  writeFileSync(join(folder, 'schema.ts'), astToString(await openapiTS(structuredClone(document) as never)));
  await createClient({
    input: structuredClone(document) as Record<string, unknown>,
    output: { path: join(folder, 'sdk') },
    plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
    logs: { level: 'silent', file: false },
  });
  // Texts, because what they import is there only now.
  for (const name of programs) copyFileSync(join(here, `${name}.ts.txt`), join(folder, `${name}.ts`));
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const compile = async (): Promise<string> => {
  const compiler = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');
  return promisify(execFile)(process.execPath, [compiler, '-p', folder]).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  );
};

it('generated clients compile, and know which payload goes with which type', { timeout: 120_000 }, async () => {
  // The programs name what must not compile.
  expect(await compile()).toBe('');
});

type Program = (baseUrl: string, token: string) => Promise<{ id: string; type: number; seen: number }>;

it.each(programs)('%s creates a task on a terminal, and reads it', async (name) => {
  const outfile = join(folder, `${name}.mjs`);
  const entry = join(folder, `${name}.ts`);
  await build({ entryPoints: [entry], outfile, bundle: true, format: 'esm', platform: 'node', logLevel: 'silent' });
  const { run } = (await import(pathToFileURL(outfile).href)) as { run: Program };
  const { token } = await server.register('Generated');
  const { id, type, seen } = await run(server.url, token);
  const [row] = await server.query('select type, payload from tasks where id = $1', [id]);
  expect(row).toEqual({ type: TaskType.OPTIONS_AUTO_TRADE, payload: { allow_algo_trading: 0 } });
  // The installation of the terminal, and this one.
  expect([type, seen]).toEqual([TaskType.OPTIONS_AUTO_TRADE, 2]);
});
