/** What is published: small, complete, and of use to who has nothing else of Berth. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import ts from 'typescript';
import oldest from 'typescript-5.0';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPackage } from '../build/package.mjs';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');

let folder: string;
let consumer: string;
let tarball: string;
const packed = (...path: string[]): string => join(consumer, 'node_modules/@berth/client', ...path);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-client-'));
  const dist = join(folder, 'dist');
  await buildPackage(dist);
  await run('npm', ['pack', '--pack-destination', folder, '--loglevel=error'], { cwd: dist });
  tarball = join(
    folder,
    (await readdir(folder)).find((name) => name.endsWith('.tgz'))!,
  );
  consumer = join(folder, 'consumer');
  await mkdir(packed(), { recursive: true });
  await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', packed()]);
  await mkdir(join(consumer, 'node_modules/@types'), { recursive: true });
  await symlink(join(root, 'node_modules/@types/node'), join(consumer, 'node_modules/@types/node'));
  await symlink(join(root, 'node_modules/undici-types'), join(consumer, 'node_modules/undici-types'));
  await writeFile(join(consumer, 'package.json'), '{"type":"module"}');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('the package holds what it needs, and asks for nothing', async () => {
  const names = await readdir(packed());
  expect(names).toEqual(
    expect.arrayContaining(['index.js', 'index.js.map', 'index.d.ts', 'README.md', 'LICENSE', 'NOTICE']),
  );
  const manifest = JSON.parse(await readFile(packed('package.json'), 'utf8')) as Record<string, unknown>;
  expect(manifest).toMatchObject({ name: '@berth/client', type: 'module', engines: { node: '>=20.19' } });
  expect(Object.keys(manifest).filter((name) => /ependencies|private/.test(name))).toEqual([]);
  const code = await readFile(packed('index.js'), 'utf8');
  expect(code).not.toMatch(/^import /m);
  const map = JSON.parse(await readFile(packed('index.js.map'), 'utf8')) as { sources: string[] };
  expect(map.sources.join()).toContain('src/berth.ts');
  expect(await readFile(packed('README.md'), 'utf8')).not.toContain('](../');
});

it('the package has no fault that publint finds', async () => {
  const { messages } = await publint({ pkgDir: packed(), strict: true, pack: false });
  const pkg = JSON.parse(await readFile(packed('package.json'), 'utf8')) as Record<string, unknown>;
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
});

it('the package has types that every way of resolving finds', async () => {
  const result = await checkPackage(createPackageFromTarballData(new Uint8Array(await readFile(tarball))));
  expect(result.types).not.toBe(false);
  const problems = 'problems' in result ? result.problems : [];
  // TypeScript's old way "node10" does not read `exports`, but finds `types`.
  expect(problems).toEqual([]);
});

const program = `
import { Berth, NotFoundError, TaskStatus, type Terminal, type TaskStep } from '@berth/client';

type Same<Left, Right> =
  (<Probe>() => Probe extends Left ? 1 : 2) extends (<Probe>() => Probe extends Right ? 1 : 2) ? true : false;
const isTrue = <Claim extends true>(): void => undefined;

export const work = async (berth: Berth, id: string): Promise<string> => {
  for await (const terminal of berth.terminals.list({ status: ['ACTIVE'], region: undefined })) id = terminal.id;
  const terminal: Terminal = await berth.terminals.waitFor(id, ['ACTIVE', 'STOPPED'], { signal: AbortSignal.timeout(1) });
  const screenshot = await berth.tasks.run(id, 'SCREENSHOT', { width: 1280 }, { onStep: ({ data }) => data.file?.width });
  const url: string | undefined = screenshot.data.file?.url;
  isTrue<Same<typeof screenshot.task.type, 6>>();
  const logs = await berth.tasks.run(id, 'EA_LOGS');
  const lines: string[] = logs.data.lines ?? [];
  const code: TaskStep['code'] | undefined = logs.task.result.runner_result[0]?.code;
  // @ts-expect-error an expert needs its file
  await berth.tasks.run(id, 'EA_INSTALL', { name: 'Harbour' });
  // @ts-expect-error a payload that is required
  await berth.tasks.run(id, 'EA_INSTALL');
  // @ts-expect-error the service makes it
  await berth.tasks.run(id, 'TERMINAL_INSTALL');
  // @ts-expect-error another type's answer
  void logs.data.file;
  // @ts-expect-error no status of a terminal
  await berth.terminals.waitFor(id, 'COMPLETED');
  // @ts-expect-error both ways of naming terminals are wrong without either
  await berth.terminals.bulkTasks('SCREENSHOT', {});
  // @ts-expect-error an expert has a name and a chart
  await berth.terminals.bulkTasks('EA_INSTALL', { filter: {} });
  const content = await berth.files.content(id);
  await berth.files.upload('copy', new Blob([content.bytes]));
  await berth.terminals.bulkTasks('OPTIONS_AUTO_TRADE', { filter: {}, payload: { allow_algo_trading: 0 } });
  for await (const event of berth.events()) {
    if (event.event === 'task' && event.data.status === TaskStatus.COMPLETED) return event.data.terminal_id;
    if (event.event === 'reset') break;
  }
  try {
    await berth.files.delete(id);
  } catch (error) {
    if (error instanceof NotFoundError) return error.requestId ?? '';
  }
  return [url, lines, code, terminal.status_name].join();
};
`;

interface Way {
  file: string;
  /** Names of options as the compiler's own, which differ between versions. */
  options: (compiler: typeof ts) => ts.CompilerOptions;
}

const node: ts.CompilerOptions = { lib: ['lib.es2022.d.ts'], types: ['node'] };
const { ESNext, Bundler } = { ESNext: ts.ModuleKind.ESNext, Bundler: ts.ModuleResolutionKind.Bundler };
const browser = ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'];
const ways: Record<string, Way> = {
  'a bundler': {
    file: 'a.ts',
    options: () => ({ module: ESNext, moduleResolution: Bundler, lib: browser, types: [] }),
  },
  'node16, ES module': { file: 'a.mts', options: ({ ModuleKind }) => ({ ...node, module: ModuleKind.Node16 }) },
  'node16, CommonJS': { file: 'a.cts', options: ({ ModuleKind }) => ({ ...node, module: ModuleKind.Node16 }) },
  'nodenext, ES module': { file: 'a.mts', options: ({ ModuleKind }) => ({ ...node, module: ModuleKind.NodeNext }) },
  'nodenext, CommonJS': { file: 'a.cts', options: ({ ModuleKind }) => ({ ...node, module: ModuleKind.NodeNext }) },
};
const compilers: Record<string, typeof ts> = { oldest: oldest as unknown as typeof ts, newest: ts };
const cases = Object.keys(compilers).flatMap((age) => Object.keys(ways).map((way): [string, string] => [age, way]));

/** Strictly, declarations included. */
const check = (compiler: typeof ts, { file, options }: Way): string[] => {
  const strict = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
  };
  const typeRoots = [join(consumer, 'node_modules/@types')];
  const all = compiler.createProgram([join(consumer, file)], {
    ...strict,
    noEmit: true,
    target: compiler.ScriptTarget.ES2022,
    typeRoots,
    ...options(compiler),
  });
  const toText = ({ file: at, messageText }: ts.Diagnostic) =>
    `${at?.fileName ?? ''}: ${compiler.flattenDiagnosticMessageText(messageText, '\n')}`;
  return compiler.getPreEmitDiagnostics(all).map(toText);
};

describe('who installs it and has nothing else of Berth', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    for (const { file } of Object.values(ways)) await writeFile(join(consumer, file), program);
  });

  it('an installed client without the rest of Berth has as the oldest compiler the one that the README names', () => {
    expect(oldest.version).toMatch(/^5\.0\./);
  });

  it.each(cases)('compiles with the %s TypeScript for %s', (age, way) => {
    expect(check(compilers[age]!, ways[way]!)).toEqual([]);
  });

  it('an installed client without the rest of Berth has each class once, imported and required', async () => {
    const script = `
      import { createRequire } from 'node:module';
      import { BerthError } from '@berth/client';
      console.log(createRequire(import.meta.url)('@berth/client').BerthError === BerthError);`;
    await writeFile(join(consumer, 'both.mjs'), script);
    const { stdout, stderr } = await run(process.execPath, ['both.mjs'], { cwd: consumer });
    expect([stdout.trim(), stderr]).toEqual(['true', '']);
  });

  it('an installed client without the rest of Berth has CommonJS for what knows nothing else', async () => {
    const script = `console.log(typeof require('./node_modules/@berth/client/commonjs/index.js').Berth)`;
    const { stdout } = await run(process.execPath, ['--input-type=commonjs', '-e', script], { cwd: consumer });
    expect(stdout.trim()).toBe('function');
  });

  it('imports it', async () => {
    const script = `import { Berth } from '@berth/client'; console.log(new Berth({ baseUrl: 'http://127.0.0.1:9/' }).baseUrl)`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: consumer });
    expect(stdout.trim()).toBe('http://127.0.0.1:9');
  });
});
