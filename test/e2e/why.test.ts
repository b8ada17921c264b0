/**
 * Why a terminal is not running, asked while real hosts, terminals and a trading server are in that state, and answered so
 * that whoever does what the answer says has a terminal that runs.
 */
import type { TerminalWhy } from '@berth/client';
import { whyRoutes } from '@berth/contract';
import { waitFor } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';
import { createDescription } from '../security/support/described.ts';
import { useRemoteHosts } from './remote-hosts.ts';
import { TerminalUser } from './terminal-user.ts';

const TIMEOUT_MS = 300_000;
const PASSWORD = 'sesame-of-the-quay';

const { stack, createHost, operator, operatorToken } = useRemoteHosts();
let listFlaws: ReturnType<typeof createDescription>;
beforeAll(async () => {
  listFlaws = createDescription((await stack.request('GET', '/openapi.json')).body);
});

let places = 0;
const createPlace = async () => {
  places += 1;
  const host = await createHost(`quay-${places}`, `Region ${places}`);
  const findHost = async () => {
    const { data } = await operator().hosts.page({ per_page: 100 });
    return data.find(({ name }) => name === host.name)!.id;
  };
  return { ...host, findHost };
};
type Place = Awaited<ReturnType<typeof createPlace>>;

let logins = 7000;
const createTerminal = async (user: TerminalUser, { region }: Pick<Place, 'region'>): Promise<string> => {
  logins += 1;
  const account = { server_name: 'Harbour-Demo', login: String(logins), password: PASSWORD };
  return (await user.createTerminal({ ...account, region })).id;
};
const createUser = async (name = 'Trader') => {
  const { token, user } = await stack.register(name);
  return { trader: new TerminalUser(stack.url, token), userId: user.id };
};
/** A user with a terminal that runs, on a host of its own. */
const createRunning = async () => {
  const place = await createPlace();
  const agent = await place.join(1);
  const { trader, userId } = await createUser();
  const id = await createTerminal(trader, place);
  await trader.waitForStatus(id, 'ACTIVE');
  return { place, agent, trader, userId, id };
};

/** Its chain's first check that is wrong; the answer is as the API describes it. */
const read = async (path: string, token: string, route: (typeof whyRoutes)[keyof typeof whyRoutes]) => {
  const { status, headers, bytes, body } = await stack.request('GET', path, { token });
  expect(listFlaws(route, { status, headers: Object.fromEntries(headers), bytes })).toEqual([]);
  const { answer, cause, chain } = (body as { data: TerminalWhy }).data;
  const wrong = chain.find(({ ok }) => ok === false);
  return { answer, cause, check: wrong?.check, message: wrong?.message, next: wrong?.next_step };
};
const askOwner = ({ token }: TerminalUser, id: string) =>
  read(`/v1/my/trading/terminals/${id}/why`, token, whyRoutes.explainTerminal);
const askOperator = (id: string) =>
  read(`/v1/operator/terminals/${id}/why`, operatorToken(), whyRoutes.explainAnyTerminal);
const waitForCause = (id: string, cause: TerminalWhy['cause']) =>
  waitFor(async () => (await askOperator(id)).cause === cause, {
    what: `the cause ${cause} of ${id}`,
    timeoutMs: TIMEOUT_MS,
  });

interface Expected {
  cause: TerminalWhy['cause'];
  check: TerminalWhy['chain'][number]['check'];
  message: RegExp;
  /** Of its owner, where that is somebody who may ask. */
  owner?: RegExp;
  operator: RegExp;
}

/** What both read. */
const expectWhy = async (trader: TerminalUser, id: string, { owner, operator: next, message, ...why }: Expected) => {
  const wrong = { ...why, message: expect.stringMatching(message) as string };
  expect(await askOperator(id)).toMatchObject({ ...wrong, next: expect.stringMatching(next) as string });
  if (owner)
    expect(await askOwner(trader, id)).toMatchObject({ ...wrong, next: expect.stringMatching(owner) as string });
};
const expectRunning = async (trader: TerminalUser, id: string) => {
  await trader.waitForStatus(id, 'ACTIVE');
  expect(await askOwner(trader, id)).toMatchObject({ answer: 'It is running.', cause: null, check: undefined });
};
const stopped: Expected = {
  ...{ cause: 'stopped', check: 'task', message: /^The terminal was stopped\.$/ },
  ...{ owner: /^Start it\.$/, operator: /^The owner starts it\.$/ },
};

it('a terminal in a region without a host runs once an operator adds the host that the answer asks for', async () => {
  const place = await createPlace();
  const { trader } = await createUser();
  const id = await createTerminal(trader, place);
  await expectWhy(trader, id, {
    ...{ cause: 'no_host', check: 'region', message: /^No host in Region \d+ runs sandbox terminals\.$/ },
    ...{ owner: /create it in another region/, operator: /^Add a host to Region \d+: make a join command/ },
  });
  await place.join(1);
  await expectRunning(trader, id);
});

it('a terminal that waits for a full host runs once an operator raises its capacity, though the region is closed', async () => {
  const { place, trader } = await createRunning();
  const id = await createTerminal(trader, place);
  await operator().regions.update(place.region, { accepts_terminals: false });
  await expectWhy(trader, id, {
    ...{ cause: 'no_slot', check: 'place', message: /No slot for sandbox terminals is free in .* It is next\./ },
    ...{ owner: /^It is installed as soon as a slot is free/, operator: /raise the capacity of one/ },
  });
  await expect(createTerminal(trader, place)).rejects.toThrow('The region does not accept new terminals.');
  await operator().hosts.update(await place.findHost(), { capacity: 2 });
  await expectRunning(trader, id);
  const region = (await trader.berth.terminals.why(id)).chain.find(({ check }) => check === 'region');
  expect(region).toMatchObject({
    ok: true,
    message: expect.stringContaining('takes no new terminals; this one stays'),
  });
});

it('a terminal with a wrong password runs once its owner logs in with the right one', async () => {
  const { trader, id } = await createRunning();
  await trader.createTask(id, 'ACCOUNT_LOGIN', { password: 'wrong' });
  await waitForCause(id, 'login_refused');
  await expectWhy(trader, id, {
    ...{ cause: 'login_refused', check: 'login', message: /^Harbour-Demo refused the login \(Invalid account\)/ },
    ...{ owner: /^Check login and password, then log in again\./, operator: /^The owner checks login and password/ },
  });
  const journal = (await trader.berth.terminals.why(id)).chain.find(({ check }) => check === 'journal');
  expect(journal).toMatchObject({ ok: true, message: 'Only the login failed.' });
  await trader.run(id, 'ACCOUNT_LOGIN', { password: PASSWORD });
  await expectRunning(trader, id);
});

it('a terminal that its owner stopped runs once it is started', async () => {
  const { trader, id } = await createRunning();
  await trader.run(id, 'TERMINAL_STOP');
  await expectWhy(trader, id, stopped);
  await trader.run(id, 'TERMINAL_START');
  await expectRunning(trader, id);
});

it('a terminal that a risk rule locked runs once it is unlocked, and started where it was stopped', async () => {
  const { trader, id } = await createRunning();
  const rule = await trader.berth.riskRules.create({
    ...{ name: 'Floor', terminal_ids: [id], kind: 'equity_floor', amount: '50000.00', actions: ['lock'] },
  });
  await waitForCause(id, 'locked');
  const locked = {
    ...({ cause: 'locked', message: /^The risk rule "Floor" was breached\.$/ } as const),
    ...{ owner: /^Unlock it: until then .* its start/, operator: /^The owner unlocks it/ },
  };
  await expectWhy(trader, id, { ...locked, check: 'experts' });
  await trader.run(id, 'TERMINAL_STOP');
  await expectWhy(trader, id, { ...locked, check: 'task' });
  await expect(trader.createTask(id, 'TERMINAL_START')).rejects.toThrow('This terminal is locked. Unlock it first.');
  await trader.berth.riskRules.delete(rule.id);
  await trader.berth.terminals.unlock(id, { reason: 'The limit was wrong.' });
  await expectWhy(trader, id, stopped);
  await trader.run(id, 'TERMINAL_START');
  await expectRunning(trader, id);
});

it('terminals of a suspended user are started and installed once the suspension ends, and not before', async () => {
  const { trader, id, userId, place } = await createRunning();
  const waiting = await createTerminal(trader, place);
  await operator().users.update(userId, { status: 'suspended', suspension: { reason: 'Unpaid', terminals: 'stop' } });
  await waitForCause(id, 'account_suspended');
  await operator().hosts.update(await place.findHost(), { capacity: 2 });
  const suspended = { cause: 'account_suspended', check: 'registration' } as const;
  await expectWhy(trader, id, {
    ...{ ...suspended, message: /its terminals were stopped/ },
    operator: /^End the suspension on the page Users; then the owner can start/,
  });
  await expectWhy(trader, waiting, {
    ...{ ...suspended, message: /so the terminal is not installed/ },
    operator: /^End the suspension .* installed as soon as a slot is free/,
  });
  await operator().users.update(userId, { status: 'active' });
  await expectRunning(trader, waiting);
  await expectWhy(trader, id, stopped);
  await trader.run(id, 'TERMINAL_START');
  await expectRunning(trader, id);
});

it('a terminal of a host that was killed runs again once its agent is started', async () => {
  const { trader, id, agent, place } = await createRunning();
  agent.kill('SIGKILL');
  await agent.ended;
  const isSilent = `update hosts set last_seen_at = last_seen_at - interval '20 seconds' where name = $1`;
  await stack.query(isSilent, [place.name]);
  await waitForCause(id, 'host_offline');
  await expectWhy(trader, id, {
    ...{ cause: 'host_offline', check: 'host', message: /^The host quay-\d+ is offline\. .* may still be running/ },
    ...{ owner: /^Wait: the terminal comes back with its host/, operator: /start `script\/agent` there/ },
  });
  place.start();
  await expectRunning(trader, id);
});

it('terminals of a host that is drained run once the drain ends, and those that wait once it is uncordoned', async () => {
  const { trader, id, place } = await createRunning();
  const host = await place.findHost();
  await operator().hosts.update(host, { capacity: 2 });
  await operator().hosts.drain(host, { terminals: 'stop' });
  const waiting = await createTerminal(trader, place);
  await waitForCause(id, 'stopped');
  await expectWhy(trader, id, {
    ...{ cause: 'stopped', check: 'host', message: /because its host is being drained\.$/ },
    ...{ owner: /^Start it again once the host takes terminals again/, operator: /^End the drain of quay-\d+/ },
  });
  const closed: Expected = {
    ...{ cause: 'no_slot', check: 'place', message: /^No slot for sandbox terminals is free/ },
    operator: /^The host quay-\d+ has room, but takes no new terminals: end its drain or uncordon it/,
  };
  await expectWhy(trader, waiting, closed);
  await expect(trader.createTask(id, 'TERMINAL_START')).rejects.toThrow('drained');
  await operator().hosts.endDrain(host);
  await expectWhy(trader, id, stopped);
  await expectWhy(trader, waiting, closed);
  await trader.run(id, 'TERMINAL_START');
  await expectRunning(trader, id);
  await operator().hosts.update(host, { cordoned: false });
  await expectRunning(trader, waiting);
});
