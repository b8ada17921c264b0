import { dirname, join, relative } from 'node:path/posix';
import { describe, expect, it } from 'vitest';
import { listImports, listTrackedFiles } from './repository.ts';

/** An import of one file by another, both relative to the folder that is looked at. */
interface Arrow {
  from: string;
  to: string;
}

const files = listTrackedFiles().filter((path) => path.endsWith('.ts'));

const listArrows = (folder: string): Arrow[] =>
  files
    .filter((path) => path.startsWith(`${folder}/`))
    .flatMap((path) =>
      listImports(path)
        .filter((name) => name.startsWith('.'))
        .map((name) => ({ from: relative(folder, path), to: relative(folder, join(dirname(path), name)) })),
    );

const isInside = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);
const toRoom = (path: string): string => path.split('/')[0] ?? '';
const show = ({ from, to }: Arrow): string => `${from} imports ${to}`;

const agent = 'apps/agent/src';
const arrows = listArrows(agent);
/** From top to bottom: a room of the core imports itself and those after it. */
const core = ['host', 'risk', 'attempts', 'account', 'terminals', 'server'];
/** What a host keeps beside its terminals. */
const hosting = ['bases'];
/** What a platform looks like to the core, and a launcher to a platform. */
const seams = { platform: 'platforms/driver.ts', launcher: 'launchers/launcher.ts' };

describe('the agent', () => {
  it('the agent has only its wiring on top: the process, its settings, and what makes drivers of platforms and launchers', () => {
    const tops = files.filter((path) => dirname(path) === agent).map((path) => relative(agent, path));
    expect(tops.sort()).toEqual(['config.ts', 'main.ts', 'platform-registry.ts']);
    expect(arrows.filter(({ from, to }) => !tops.includes(from) && tops.includes(to)).map(show)).toEqual([]);
  });

  it('the agent has a room for everything else', () => {
    const rooms = new Set(files.filter((path) => isInside(path, agent) && dirname(path) !== agent));
    const names = new Set([...rooms].map((path) => toRoom(relative(agent, path))));
    expect([...names].sort()).toEqual([...core, ...hosting, 'commands', 'launchers', 'platforms'].sort());
  });

  it('the agent has commands that nothing but the wiring knows', () => {
    const inward = arrows.filter(({ from, to }) => toRoom(to) === 'commands' && toRoom(from) !== 'commands');
    expect(new Set(inward.map(({ from }) => from))).toEqual(new Set(['config.ts', 'main.ts']));
  });

  it('the agent has bases that know of the rest only how a launcher fails', () => {
    const outward = arrows.filter(({ from, to }) => toRoom(from) === 'bases' && toRoom(to) !== 'bases');
    expect(new Set(outward.map(({ to }) => to))).toEqual(new Set([seams.launcher]));
  });

  it('the agent has a core whose rooms import only downwards', () => {
    const isUpward = ({ from, to }: Arrow) => core.indexOf(toRoom(to)) < core.indexOf(toRoom(from));
    const within = arrows.filter(({ from, to }) => core.includes(toRoom(from)) && core.includes(toRoom(to)));
    expect(within.length).toBeGreaterThan(0);
    expect(within.filter(isUpward).map(show)).toEqual([]);
  });

  it('the agent has a core that knows of platforms only what a driver is, and nothing of launchers', () => {
    const leaving = arrows.filter(({ from, to }) => core.includes(toRoom(from)) && !core.includes(toRoom(to)));
    expect(new Set(leaving.map(({ to }) => to))).toEqual(new Set([seams.platform]));
  });

  it('the agent has platforms that know of the rest only the two seams', () => {
    const toHome = (path: string): string => path.split('/').slice(0, 2).join('/');
    const outward = arrows.filter(({ from, to }) => toRoom(from) === 'platforms' && toHome(from) !== toHome(to));
    expect(outward.length).toBeGreaterThan(0);
    const isSeam = ({ to }: Arrow) => to === seams.platform || to === seams.launcher;
    expect(outward.filter((arrow) => !isSeam(arrow)).map(show)).toEqual([]);
  });

  it('the agent has launchers that know nothing of the rest', () => {
    const outward = arrows.filter(({ from, to }) => isInside(from, 'launchers') && !isInside(to, 'launchers'));
    expect(outward.map(show)).toEqual([]);
  });
});

/** The names that lead back to where they started, one after the other; empty where there is no way round. */
const findCircle = (edges: ReadonlyMap<string, ReadonlySet<string>>): string[] => {
  const done = new Set<string>();
  const visit = (name: string, path: string[]): string[] => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
    if (done.has(name)) return [];
    for (const next of edges.get(name) ?? []) {
      const circle = visit(next, [...path, name]);
      if (circle.length > 0) return circle;
    }
    done.add(name);
    return [];
  };
  for (const name of edges.keys()) {
    const circle = visit(name, []);
    if (circle.length > 0) return circle;
  }
  return [];
};

describe('rooms', () => {
  it.each([agent, `${agent}/platforms/metatrader`, 'apps/sandbox/src', 'apps/sandbox/src/terminal'])(
    'rooms of %s form no knot',
    (folder) => {
      const edges = new Map<string, Set<string>>();
      for (const { from, to } of listArrows(folder)) {
        // The seams stand between rooms; who may use them is said above.
        if (to.startsWith('..') || toRoom(from) === toRoom(to) || Object.values(seams).includes(to)) continue;
        edges.set(toRoom(from), (edges.get(toRoom(from)) ?? new Set()).add(toRoom(to)));
      }
      expect(edges.size).toBeGreaterThan(0);
      expect(findCircle(edges)).toEqual([]);
    },
  );
});
