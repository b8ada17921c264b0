/**
 * What some tests need besides Node.js and what every Debian has. A file says so in its first lines, `@module-tag wine`, a
 * single test by its option `tags`. Where it is missing, these tests are skipped, and the end of the run says how to get it.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** Debian keeps some of them where an ordinary user's path does not lead. */
const PLACES = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];

const isThere = (program) => {
  const paths = program.startsWith('/') ? [program] : PLACES.map((place) => join(place, program));
  return paths.some((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
};

/** Whether other users may enter a folder: each above it lets them. */
const isOpen = (folder) =>
  (statSync(folder).mode & 0o001) !== 0 && (dirname(folder) === folder || isOpen(dirname(folder)));

const succeeds = (program, ...args) => spawnSync(program, args, { stdio: 'ignore' }).status === 0;

const apt = (name) => `apt-get install ${name} (as root)`;

const needs = [
  { name: 'browser', programs: ['/usr/bin/chromium'], install: 'script/setup --browser (as root)' },
  {
    name: 'wine',
    programs: [
      'wine',
      'Xvfb',
      'openbox',
      'bwrap',
      'pasta',
      'ip',
      'xdotool',
      'x86_64-w64-mingw32-gcc',
      'x86_64-w64-mingw32-g++',
      'i686-w64-mingw32-gcc',
    ],
    install: 'script/setup --wine (as root)',
  },
  { name: 'gxx', programs: ['g++'], install: apt('g++') },
  { name: 'mingw', programs: ['x86_64-w64-mingw32-gcc'], install: 'script/setup --wine (as root)' },
  { name: 'proxies', programs: ['nginx', 'caddy', 'pgbouncer'], install: 'script/setup --proxies (as root)' },
  { name: 'git', programs: ['git'], install: apt('git') },
  { name: 'curl', programs: ['curl'], install: apt('curl') },
  {
    name: 'pty',
    programs: ['script', 'flock'],
    isHere: succeeds('script', '--quiet', '--return', '--command', 'true', '/dev/null'),
    install: `${apt('bsdutils util-linux')}, and mount /dev/pts`,
  },
  { name: 'openssl', programs: ['openssl'], install: apt('openssl') },
  { name: 'root', programs: [], isHere: process.getuid?.() === 0, install: 'run script/test as root' },
  {
    name: 'control-groups',
    programs: [],
    isHere: ['cgroup.controllers', 'memory'].some((name) => existsSync(join('/sys/fs/cgroup', name))),
    install: 'mount the control groups of the kernel at /sys/fs/cgroup',
  },
  {
    name: 'open-checkout',
    programs: [],
    isHere: isOpen(join(import.meta.dirname, '../..')),
    install: 'chmod o+x on each folder above this one, for tests whose programs run as another user',
  },
  {
    name: 'mount',
    programs: [],
    isHere: succeeds('unshare', '--mount', 'true'),
    install: 'run script/test as root, where root may mount',
  },
];

/**
 * @returns of each: its `name`, which is the tag; whether it `isHere`; the `missing` programs; and the command that
 * would `install` them
 */
export const listNeeds = () =>
  needs.map(({ isHere, programs, ...need }) => ({
    ...need,
    missing: programs.filter((program) => !isThere(program)),
    isHere: (isHere ?? true) && programs.every(isThere),
  }));
