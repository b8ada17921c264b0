/**
 * Turns a Windows machine into a host: folders, rights, the session helper's task and the agent's service. This only
 * plans; all of it is pure.
 */
import { createHash } from 'node:crypto';
import { toCommandLine } from './command-line.ts';
import {
  SESSION_TASK,
  toCreateSessionTask,
  toSessionTaskXml,
  toTaskFile,
  type WindowsCommand,
} from './windows-commands.ts';
import { assertTerminalFolder } from './windows-paths.ts';

export interface WindowsSetup {
  /** Holds everything: `C:\berth`. */
  root: string;
  /** In this user's session the terminals run: `MACHINE\name`. */
  user: string;
  /** Names of the hosts that the agent runs. */
  hosts: readonly string[];
  /** Node.js. */
  node: string;
  /** The agent's program, `apps\agent\dist\main.js` of a release. */
  agent: string;
  /** The release's folder with berth-window.exe and berth-service.exe. */
  programs: string;
  /** The agent's settings. Every user of the machine can read them, so they hold no token. */
  settings: Readonly<Record<string, string>>;
}

export type SetupStep =
  | { kind: 'folder'; path: string }
  | { kind: 'copy'; from: string; to: string }
  | { kind: 'file'; path: string; content: Buffer }
  /** `accepted`: exit codes, besides 0, that mean that it was done before. */
  | { kind: 'command'; command: WindowsCommand; accepted: readonly number[] };

export const SERVICE = 'Berth';
/** Windows' own account for the service: it has no password, and no more rights than it is given here. */
const ACCOUNT = `NT SERVICE\\${SERVICE}`;
const [SYSTEM, ADMINISTRATORS] = ['*S-1-5-18', '*S-1-5-32-544'];
const SECRET = /TOKEN|PASSWORD|SECRET|KEY/;

/** The SID of a service's account: derived from its name, so that rights can be granted beforehand. */
export const toServiceSid = (service: string): string => {
  const hash = createHash('sha1').update(Buffer.from(service.toUpperCase(), 'utf16le')).digest();
  return `S-1-5-80-${[0, 4, 8, 12, 16].map((offset) => hash.readUInt32LE(offset)).join('-')}`;
};

const [EXISTS, RUNS, RUNS_NOT, IS_NONE] = [1073, 1056, 1062, 1060];

const run = (command: WindowsCommand, accepted: readonly number[] = []): SetupStep => ({
  kind: 'command',
  command,
  accepted,
});
const sc = (args: readonly string[], accepted?: readonly number[]) => run({ file: 'sc.exe', args }, accepted);

/** Only those listed, and administrators of the machine, from this folder downwards. */
const giveOnly = (path: string, ...rights: string[]): SetupStep => {
  const all = [SYSTEM, ADMINISTRATORS].map((who) => `${who}:(OI)(CI)F`);
  return run({ file: 'icacls.exe', args: [path, '/inheritance:r', '/grant:r', ...all, ...rights] });
};

const toFolders = (root: string) => ({
  programs: `${root}\\bin`,
  agent: `${root}\\agent`,
  session: `${root}\\session`,
  logs: `${root}\\logs`,
});

/** The service's settings: those that were given, and the paths. */
const toSettings = ({ root, settings }: WindowsSetup): string[] => {
  const folders = toFolders(root);
  const all = { ...settings, BERTH_AGENT_DIR: folders.agent, BERTH_AGENT_SESSION_FOLDER: folders.session };
  const secret = Object.keys(all).find((name) => SECRET.test(name));
  if (secret !== undefined)
    throw new Error(`${secret} does not belong into the settings of a service, which all can read`);
  return Object.entries(all).map(([name, value]) => `${name}=${value}`);
};

const listFolderSteps = ({ root, user, hosts }: WindowsSetup, service: string): SetupStep[] => {
  const { programs, agent, session, logs } = toFolders(root);
  const terminals = hosts.map((host) => `${agent}\\${host}\\terminals`);
  return [
    ...[programs, session, logs, ...terminals].map((path): SetupStep => ({ kind: 'folder', path })),
    giveOnly(programs, `${service}:(OI)(CI)RX`, `${user}:(OI)(CI)RX`),
    giveOnly(logs, `${service}:(OI)(CI)M`),
    giveOnly(session, `${service}:(OI)(CI)M`, `${user}:(OI)(CI)M`),
    // Credentials and journals lie next to the terminals, and are only for the service.
    giveOnly(agent, `${service}:(OI)(CI)M`),
    ...terminals.map((path) => run({ file: 'icacls.exe', args: [path, '/grant:r', `${user}:(OI)(CI)M`] })),
  ];
};

const listTaskSteps = ({ root, user }: WindowsSetup, starter: string): SetupStep[] => {
  const { programs, session } = toFolders(root);
  const definition = `${programs}\\session.xml`;
  const xml = toSessionTaskXml({ program: `${programs}\\berth-window.exe`, folder: session, user, starter });
  return [{ kind: 'file', path: definition, content: toTaskFile(xml) }, run(toCreateSessionTask(definition))];
};

const listServiceSteps = (setup: WindowsSetup): SetupStep[] => {
  const { programs, logs } = toFolders(setup.root);
  const agent = toCommandLine(setup.node, [setup.agent]);
  const line = `${toCommandLine(`${programs}\\berth-service.exe`, [logs])} -- ${agent}`;
  // Each option ends in an equals sign, and its value is the next argument.
  const how = ['binPath=', line, 'start=', 'delayed-auto', 'obj=', ACCOUNT];
  const key = `HKLM\\SYSTEM\\CurrentControlSet\\Services\\${SERVICE}`;
  const environment = toSettings(setup).join('\\0');
  return [
    sc(['create', SERVICE, ...how], [EXISTS]),
    sc(['config', SERVICE, ...how]),
    sc(['description', SERVICE, 'Runs the agent of this Berth host.']),
    sc(['failure', SERVICE, 'reset=', '86400', 'actions=', 'restart/5000/restart/60000/restart/60000']),
    run({ file: 'reg.exe', args: ['add', key, '/v', 'Environment', '/t', 'REG_MULTI_SZ', '/d', environment, '/f'] }),
    sc(['start', SERVICE], [RUNS]),
  ];
};

/** All steps, in order. Throws for a folder that cannot hold terminals, and for a secret among the settings. */
export const toSetupSteps = (setup: WindowsSetup): SetupStep[] => {
  assertTerminalFolder(setup.root);
  const sid = toServiceSid(SERVICE);
  const { programs } = toFolders(setup.root);
  const copies = ['berth-window.exe', 'berth-service.exe'].map((name): SetupStep => ({
    kind: 'copy',
    from: `${setup.programs}\\${name}`,
    to: `${programs}\\${name}`,
  }));
  return [...listFolderSteps(setup, `*${sid}`), ...copies, ...listTaskSteps(setup, sid), ...listServiceSteps(setup)];
};

/** Removes everything except the folder with the terminals. */
export const toRemovalSteps = (): SetupStep[] => [
  sc(['stop', SERVICE], [RUNS_NOT, IS_NONE]),
  sc(['delete', SERVICE], [IS_NONE]),
  run({ file: 'schtasks.exe', args: ['/End', '/TN', SESSION_TASK] }, [1]),
  run({ file: 'schtasks.exe', args: ['/Delete', '/TN', SESSION_TASK, '/F'] }, [1]),
];
