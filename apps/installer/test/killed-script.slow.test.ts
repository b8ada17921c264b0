// @module-tag curl
/** The installer's script, killed before each of its changes: the agent in use is whole, and the next run completes it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { endProcesses } from '@berth/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findTool, Machine } from './support/machine.ts';
import { ReleaseServer } from './support/release-server.ts';

const PROGRAMS = 'curl sha256sum mktemp mkdir flock rm tar mv install sed ln readlink'.split(' ');

const releases = new ReleaseServer();
let from: string;
beforeAll(async () => void (from = await releases.open()));
afterAll(async () => {
  await endProcesses();
  releases.close();
});

const install = (machine: Machine, text: string) =>
  machine.run(text, ['--server', from, '--yes'], { BERTH_JOIN_TOKEN: '7|abc' });

/** The script dies when it starts the program of this number. */
const killAt = (machine: Machine, call: number): void => {
  const calls = join(machine.folder, 'calls');
  for (const name of PROGRAMS) {
    const count = `echo >>'${calls}'; [ "$(/usr/bin/wc -l <'${calls}')" -ne ${call} ]`;
    machine.replace(name, `${count} || { kill -9 $PPID; exit 1; }\nexec ${findTool(name)} "$@"`);
  }
};

const expectWhole = (machine: Machine, versions: string[]): void => {
  expect(versions).toContain(machine.read('opt/berth-agent/current/version'));
  expect(existsSync(join(machine.root, 'opt/berth-agent/current/berth-agent.service'))).toBe(true);
};

it('an upgrade that is killed before any of its changes leaves a whole agent, and the next one completes it', async () => {
  let killed = 0;
  for (let call = 1; ; call += 1) {
    const machine = new Machine();
    expect(await install(machine, releases.make('0.1.0'))).toMatchObject({ code: 0 });
    const script = releases.make('0.2.0');
    killAt(machine, call);
    const { code } = await install(machine, script);
    expectWhole(machine, ['0.1.0', '0.2.0']);
    killAt(machine, 0);
    expect(await install(machine, script)).toMatchObject({ code: 0 });
    expectWhole(machine, ['0.2.0']);
    const left = machine.list('opt/berth-agent').filter((path) => !path.includes('/'));
    expect(left).toEqual(['.lock', '0.1.0', '0.2.0', 'current', 'former']);
    machine.remove();
    if (code === 0) break;
    killed += 1;
  }
  expect(killed).toBeGreaterThan(15);
});
