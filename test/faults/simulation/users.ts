/** Users: over a network as bad as the agents', knowing only what the answers say. */
import { ResultStatus, TaskType, toServiceResult } from '@berth/contract';
import { cancelTask, DatabaseUnavailableError, destroyWithin } from '@berth/testing/simulation';
import type { VirtualServer } from './world/virtual-server.ts';
import { USER_ID, type World } from './world/world.ts';

type Act = 'create' | 'stop' | 'cancel' | 'destroy' | 'install';

/** Types with deadlines of two minutes up to five; the second one must not be repeated. */
const TYPES = [5, 11, 14, 9, 12] as const;
/** What goes before all others. */
const STOPS = [
  { type: TaskType.TERMINAL_STOP, payload: {} },
  { type: TaskType.CLOSE_ALL, payload: {} },
  { type: TaskType.OPTIONS_AUTO_TRADE, payload: { allow_algo_trading: 0 } },
] as const;
const MAX_TERMINALS = 6;

export class Users {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Somebody asks one of the servers for something. */
  act(): void {
    const { random, servers, time, weather } = this.#world;
    if (servers.length === 0) return;
    const server = random.pick(servers);
    const act = random.weighted<Act>({ create: 90, stop: 6, cancel: 6, destroy: 0.7, install: 1.5 });
    if (random.chance(weather.lost)) return this.#world.count('lost request');
    time.after(
      random.skewed(1, 80),
      () => {
        if (!server.process.isAlive || server.process.isPaused) return;
        this.#world.say(() => `a user asks server ${server.number} to ${act}`);
        this.#carryOut(act, server).catch((error: unknown) => {
          if (error instanceof DatabaseUnavailableError) return;
          this.#world.truth.fail(`a user met a defect: ${(error as Error).stack}`);
        });
      },
      true,
    );
  }

  #carryOut(act: Act, server: VirtualServer): Promise<void> {
    switch (act) {
      case 'create':
      case 'stop':
        return this.#create(server, act);
      case 'cancel':
        return this.#cancel(server);
      case 'destroy':
        return this.#destroy(server);
      case 'install':
        return this.#install(server);
    }
  }

  async #create({ inbox }: VirtualServer, act: 'create' | 'stop'): Promise<void> {
    const { random, database, time, weather, truth } = this.#world;
    const terminals = [...database.tables.terminals.values()].filter(({ deleted_at: deletedAt }) => deletedAt === null);
    if (terminals.length === 0) return;
    const { id: terminalId } = random.pick(terminals);
    const stop = act === 'stop' ? random.pick(STOPS) : undefined;
    const type = stop?.type ?? random.pick(TYPES);
    const plannedAt = random.chance(0.07) ? new Date(database.now + random.int(1, 30) * 1_000) : undefined;
    const secret = type === TaskType.ACCOUNT_LOGIN && random.chance(0.2) ? { password: 'secret' } : {};
    const payload = stop?.payload ?? secret;
    const inserted = await inbox.add({ userId: USER_ID, terminalId, type, payload, plannedAt });
    if (inserted.created_at === null || random.chance(weather.lost)) return;
    time.after(random.skewed(1, 80), () => truth.accepted.add(inserted.id), true);
  }

  async #cancel({ store, clock }: VirtualServer): Promise<void> {
    const { random, database } = this.#world;
    const open = [...database.tables.tasks.values()].filter(({ finished_at: finishedAt }) => finishedAt === null);
    if (open.length === 0) return;
    const { id: taskId, terminal_id: terminalId } = random.pick(open);
    const now = new Date(clock.now());
    const result = toServiceResult(ResultStatus.REFUSED, 'cancel', 'E_NOT_RUNNING', 'Canceled.', now);
    await cancelTask(store, { userId: USER_ID, terminalId, taskId }, result);
  }

  async #destroy({ store, inbox, ends, clock }: VirtualServer): Promise<void> {
    const { random, database } = this.#world;
    const { id } = random.pick([...database.tables.terminals.values()]);
    await store.transaction((tx) => destroyWithin(tx, { inbox, ends, clock }, USER_ID, id));
  }

  /** A new terminal, which waits for a host; the scheduler finds it one. */
  async #install({ inbox, store }: VirtualServer): Promise<void> {
    if (this.#world.database.tables.terminals.size >= MAX_TERMINALS) return;
    await store.transaction((tx) => {
      const terminalId = this.#world.createTerminal(undefined);
      const type = TaskType.TERMINAL_INSTALL;
      return inbox.addAllWithin(tx, [{ userId: USER_ID, terminalId, type, payload: {}, actor: 'service' }]);
    });
  }
}
