/** Which sources may import which. `script/lint` holds it, for types, too. Reasons: docs/architecture.md. */
import { readFileSync } from 'node:fs';

/** Workspaces, and which others their sources may import. Dependencies point one way, and nothing imports an app. */
const workspaces = {
  'packages/contract': [],
  'packages/kit': [],
  'packages/command': ['kit'],
  'packages/client': ['contract'],
  'packages/postgres': ['kit'],
  'packages/risk': ['contract'],
  'apps/server': ['command', 'contract', 'kit', 'postgres', 'risk'],
  'apps/agent': ['command', 'contract', 'kit', 'risk'],
  'apps/sandbox': ['kit'],
  'apps/dashboard': ['client', 'contract'],
};

/** Rooms of the server, from the top to the bottom. Those of one line know nothing of each other. */
const server = '^apps/server/src/';
const serverLayers = [
  [
    'main.ts',
    'backup-main.ts',
    'restore-main.ts',
    'operator-main.ts',
    'operator-password-main.ts',
    'databases-main.ts',
  ],
  ['console', 'commands'],
  ['server.ts'],
  ['api', 'local-host', 'backup'],
  ['services.ts'],
  ['scheduler', 'operation'],
  ['runs'],
  ['deployment', 'risk'],
  ['accounts', 'alerts', 'tasks'],
  ['snapshots'],
  ['terminals', 'tokens', 'trading', 'webhooks'],
  ['events', 'hosts'],
  [
    'files',
    'metrics',
    'notifications',
    'overview',
    'projects',
    'regions',
    'samples',
    'schedules',
    'screenshots',
    'views',
  ],
  ['audit', 'mail', 'outbound', 'secrets', 'storage', 'validation'],
  ['config.ts'],
  ['db'],
  ['errors.ts', 'times.ts', 'version.ts'],
];
const belowApi = serverLayers.slice(serverLayers.findIndex((layer) => layer.includes('api')) + 1).flat();

/** Rooms of the dashboard, in the same way. */
const dashboard = '^apps/dashboard/src/';
const dashboardLayers = [
  ['main.tsx'],
  ['app.tsx'],
  ['routes.tsx'],
  ['pages', 'shell'],
  ['runs'],
  ['parts'],
  ['data'],
  ['style', 'texts'],
];

const agent = '^apps/agent/src/';
const agentWiring = ['config.ts', 'main.ts', 'platform-registry.ts'];
/** From the top to the bottom. */
const agentCore = ['host', 'risk', 'attempts', 'account', 'terminals', 'server'];
const agentRooms = [...agentCore, 'bases', 'commands', 'launchers', 'platforms'];
/** What a platform looks like to the core, and a launcher to a platform. */
const driver = `${agent}platforms/driver\\.ts$`;
const launcher = `${agent}launchers/launcher\\.ts$`;

/** A pattern of folders, and of files beside them; its group is the name. */
const among = (root, names) => `${root}(${names.join('|').replaceAll('.', '\\.')})(?:/|$)`;

/** Files that match `path`, and not `pathNot`, import none that match `to`. */
const forbid = (name, { to, ...from }) => ({ name, severity: 'error', from, to });

const isDeclared = (home, name) => {
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(new URL(`${home}/package.json`, import.meta.url), 'utf8'),
  );
  return `@berth/${name}` in { ...dependencies, ...devDependencies };
};

const betweenWorkspaces = [
  forbid('an import leads somewhere', { path: '^(apps|packages|test)/', to: { couldNotResolve: true } }),
  ...Object.entries(workspaces).map(([home, others]) =>
    forbid(`${home} imports itself, and ${others.join(', ') || 'nothing'} of ours`, {
      path: `^${home}/src/`,
      to: {
        path: '^(apps|packages|test)/',
        pathNot: [
          `^${home}/(?!test/)`,
          ...others.filter((name) => isDeclared(home, name)).map((name) => `^packages/${name}/src/`),
        ],
      },
    }),
  ),
  forbid('a workspace has a line in the list of workspaces', {
    path: '^(apps|packages)/[^/]+/src/',
    pathNot: `^(${Object.keys(workspaces).join('|')})/`,
    to: {},
  }),
  forbid('a workspace is imported by the name of its package', {
    path: '^((?:apps|packages)/[^/]+|test)/',
    pathNot: '^test/support/',
    to: {
      path: '^(apps|packages|test)/',
      pathNot: '^$1/',
      dependencyTypes: ['local'],
      dependencyTypesNot: ['aliased-workspace'],
    },
  }),
  forbid('a package is declared by the workspace that imports it', {
    path: '^(apps|packages)/[^/]+/src/',
    // Is bundled: what it needs is needed for its build only.
    pathNot: '^packages/client/',
    to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown'], dependencyTypesNot: ['npm'] },
  }),
  forbid('the contract does no I/O', {
    path: '^packages/contract/src/',
    to: { pathNot: ['^packages/contract/src/', 'node_modules/typebox/'] },
  }),
  forbid('the agent imports the small doors of the contract: a schema is of use to its compiler only', {
    path: agent,
    to: { path: '^packages/contract/src/index\\.ts$', dependencyTypesNot: ['type-only'] },
  }),
];

/** Every file is in a room of the layers, and imports only what is below, and its own room. */
const layered = (what, root, layers) => [
  forbid(`a file of the ${what} is in a room of its layers`, {
    path: root,
    pathNot: among(root, layers.flat()),
    to: {},
  }),
  ...layers.map((layer, depth) =>
    forbid(`of the ${what}, ${layer.join(', ')} imports only what is below`, {
      path: among(root, layer),
      to: { path: among(root, layers.slice(0, depth + 1).flat()), pathNot: `${root}$1(?:/|$)` },
    }),
  ),
];

const ofServer = [
  ...layered('server', server, serverLayers),
  forbid('the server knows no HTTP below its API', {
    path: among(server, belowApi),
    to: { path: ['^https?$', 'node_modules/@?fastify'] },
  }),
];

const ofDashboard = [
  ...layered('dashboard', dashboard, dashboardLayers),
  forbid('a page imports no other page: what they share is in parts, or in data', {
    path: `${dashboard}pages/([^/]+)/`,
    to: { path: `${dashboard}pages/`, pathNot: `${dashboard}pages/$1/` },
  }),
  forbid('a page is a folder', { path: `${dashboard}pages/[^/]+$`, to: {} }),
];

const ofAgent = [
  forbid('a file of the agent is in a room, or wiring', {
    path: agent,
    pathNot: among(agent, [...agentRooms, ...agentWiring]),
    to: {},
  }),
  forbid('of the agent, nothing imports its wiring', {
    path: among(agent, agentRooms),
    to: { path: among(agent, agentWiring) },
  }),
  forbid('of the agent, only the wiring knows commands', {
    path: agent,
    pathNot: [`${agent}commands/`, `${agent}(config|main)\\.ts$`],
    to: { path: `${agent}commands/` },
  }),
  forbid('of the agent, bases know of the rest how a launcher fails', {
    path: `${agent}bases/`,
    to: { path: agent, pathNot: [`${agent}bases/`, launcher] },
  }),
  ...agentCore.map((room, depth) =>
    forbid(`of the agent, ${room} imports only what is below, and what a driver is`, {
      path: `${agent}${room}/`,
      to: { path: agent, pathNot: [among(agent, agentCore.slice(depth)), driver] },
    }),
  ),
  forbid('of the agent, platforms know of the rest the two seams', {
    path: `${agent}platforms/([^/]+)`,
    to: { path: agent, pathNot: [`${agent}platforms/$1`, driver, launcher] },
  }),
  forbid('of the agent, launchers know nothing of the rest', {
    path: `${agent}launchers/`,
    to: { path: agent, pathNot: `${agent}launchers/` },
  }),
];

const knots = {
  name: 'folders form no knot',
  severity: 'error',
  scope: 'folder',
  from: { path: '^apps/(agent|sandbox)/src/' },
  to: { circular: true },
};

export default {
  forbidden: [...betweenWorkspaces, ...ofServer, ...ofDashboard, ...ofAgent, knots],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types', 'default'] },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(apps|packages)/[^/]+/dist/' },
  },
};
