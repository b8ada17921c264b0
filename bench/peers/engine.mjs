/**
 * What every peer engine is asked to do, so that each is measured by the same rule. An engine offers `add`, `addBulk` and
 * `work(handler)`; a job counts as done when its handler ends (Berth's count only once their end is durable).
 * Usage: <engine>.mjs '{"connection": …, "measure": "enqueue" | "life" | "bulk" | "latency", "seconds": …}'
 */
import { setTimeout as delay } from 'node:timers/promises';

const WARM_UP_MS = 1_500;

/** Runs as many loops at once; @returns calls per second after the warm-up */
const rate = async (callers, seconds, call) => {
  let count = 0;
  let until = Infinity;
  const loop = async () => {
    while (performance.now() < until) {
      await call();
      count += 1;
    }
  };
  const loops = Array.from({ length: callers }, loop);
  await delay(WARM_UP_MS);
  const from = performance.now();
  count = 0;
  until = from + seconds * 1000;
  await delay(seconds * 1000);
  const perSecond = (count * 1000) / (performance.now() - from);
  await Promise.race([Promise.all(loops), delay(3_000)]);
  return { perSecond };
};

const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

const measures = {
  enqueue: ({ add }, { callers, seconds }) => rate(callers, seconds, () => add({})),

  life: async ({ add, work }, { inFlight, seconds }) => {
    const waiting = new Map();
    await work(({ key }) => waiting.get(key)?.());
    let key = 0;
    return rate(inFlight, seconds, async () => {
      const mine = (key += 1);
      const done = new Promise((resolve) => waiting.set(mine, resolve));
      await add({ key: mine });
      await done;
      waiting.delete(mine);
    });
  },

  bulk: async ({ addBulk, work }, { inFlight, seconds, bulk }) => {
    const waiting = new Map();
    await work(({ key }) => waiting.get(key)?.());
    let key = 0;
    const { perSecond } = await rate(Math.ceil(inFlight / bulk), seconds, async () => {
      const keys = Array.from({ length: bulk }, () => (key += 1));
      const done = keys.map((mine) => new Promise((resolve) => waiting.set(mine, resolve)));
      await addBulk(keys.map((mine) => ({ key: mine })));
      await Promise.all(done);
      for (const mine of keys) waiting.delete(mine);
    });
    return { perSecond: perSecond * bulk };
  },

  latency: async ({ add, work }, { times: wanted, name }) => {
    // pg-boss polls: each of its starts takes about half a second.
    const times = name === 'pg-boss' ? Math.min(wanted, 40) : wanted;
    let started;
    await work(() => started?.(performance.now()));
    const took = [];
    for (let index = 0; index < times; index += 1) {
      await delay(20 + (index % 7));
      const start = new Promise((resolve) => (started = resolve));
      const from = performance.now();
      await add({});
      took.push((await start) - from);
    }
    took.sort((a, b) => a - b);
    return { p50: quantile(took, 0.5), p99: quantile(took, 0.99) };
  },
};

export const options = JSON.parse(process.argv[2]);

export const measure = async (engine) => {
  const result = await measures[options.measure](engine, options);
  console.log(JSON.stringify(result));
  process.exit(0);
};
