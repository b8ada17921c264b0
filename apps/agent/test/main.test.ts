import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { bundle, run, type Program } from './support/programs.ts';
import { JOIN_TOKEN, ProtocolServer } from './support/protocol-server.ts';
import { waitFor } from '@berth/testing/wait-for';
import { useFolder } from './support/use-folder.ts';

let programs: { folder: string; remove: () => void };
let directory: string;
let server: ProtocolServer;
const started: Program[] = [];

beforeAll(async () => {
  programs = await bundle(['src/main.ts']);
});
afterAll(() => programs.remove());
useFolder(async (created) => {
  directory = created;
  writeFileSync(join(directory, 'network'), '127.0.0.1:4433\n');
  server = await new ProtocolServer().open();
});
afterEach(async () => {
  for (const { child, ended } of started.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
  await server.close();
});

const start = (env: Record<string, string>, options: { hasIpc?: boolean; args?: string[] } = {}): Program => {
  const program = run(join(programs.folder, 'main.js'), env, options);
  started.push(program);
  return program;
};
const enough = () => ({
  BERTH_SERVER_URL: server.url,
  BERTH_AGENT_DIR: directory,
  BERTH_SANDBOX_NETWORK: join(directory, 'network'),
});

test('the program prints how to use it when nothing is configured, and on --help', async () => {
  const bare = start({});
  expect(await bare.ended).toBe(2);
  const help = start(enough(), { args: ['--help'] });
  expect(await help.ended).toBe(0);
  for (const { output } of [bare, help]) expect(output()).toContain('BERTH_JOIN_TOKEN');
});

test('the program names every mistake of its configuration and ends', async () => {
  const { ended, output } = start({ ...enough(), BERTH_AGENT_SLOTS: 'many', BERTH_LOG_LEVEL: 'loud' });
  expect(await ended).toBe(78);
  expect(output()).toMatch(/BERTH_AGENT_SLOTS[^]*BERTH_LOG_LEVEL/);
});

test("the program ends with what is wrong with the broker's file, before it enrols", async () => {
  const garbage = join(directory, 'garbage');
  writeFileSync(garbage, 'https://broker.example\n');
  const cases = [
    [garbage, 'does not hold the address of a broker'],
    [directory, 'cannot be read (EISDIR)'],
    [join(directory, 'none'), 'does not exist. Start the sandbox broker first.'],
  ] as const;
  for (const [path, text] of cases) {
    const { ended, output } = start({ ...enough(), BERTH_SANDBOX_NETWORK: path, BERTH_JOIN_TOKEN: JOIN_TOKEN });
    expect(await ended).toBe(78);
    expect(output()).toContain(`BERTH_SANDBOX_NETWORK: ${path}`);
    expect(output()).toContain(text);
  }
  expect(server.enrolments).toBe(0);
});

test('the program enrols with the token of its environment and ends with success on SIGTERM', async () => {
  const { child, ended, output } = start({ ...enough(), BERTH_JOIN_TOKEN: JOIN_TOKEN });
  await waitFor(() => output().includes('the host is in service'), { what: 'the service' });
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(output()).not.toContain(JOIN_TOKEN);
  expect(output()).not.toContain(server.credential);
});

test('the program takes join tokens from its parent, one per host, and goes on with the hosts that can', async () => {
  const hosts = JSON.stringify([
    { name: 'good', region: 0 },
    { name: 'bad', region: 1 },
  ]);
  const { child, ended, output } = start({ ...enough(), BERTH_AGENT_HOSTS: hosts }, { hasIpc: true });
  child.send({ join_tokens: { good: JOIN_TOKEN, bad: 'wrong' } });
  await waitFor(() => output().includes('the host is in service'), { what: 'the service' });
  await waitFor(() => output().includes('The join token of the host \\"bad\\" was refused'), { what: 'the refusal' });
  child.send({ stop: 'all' });
  expect(await ended).toBe(1);
});

test('the program ends when its parent is gone', async () => {
  const { child, ended, output } = start(enough(), { hasIpc: true });
  child.send({ join_tokens: { host: JOIN_TOKEN } });
  await waitFor(() => output().includes('the host is in service'), { what: 'the service' });
  child.disconnect();
  expect(await ended).toBe(0);
});

test('the program ends at once when it is asked to before it was given a join token', async () => {
  const { child, ended } = start(enough(), { hasIpc: true });
  child.send({ stop: 'all' });
  expect(await ended).toBe(0);
});
