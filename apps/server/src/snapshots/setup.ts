/**
 * What makes a terminal, as its owner asked for it and its host confirmed it: a pure function of the tasks that ended,
 * one after the other. Nothing here is a host's word but the ids of charts, which only say what later tasks of the
 * owner meant. There are no secrets: the types below have none.
 */
import { isDeepStrictEqual } from 'node:util';
import { TaskStatus, TaskType } from '@berth/contract';

/** The most that a terminal opens. */
const MAX_EXPERTS = 100;
const MAX_WEB_REQUESTS = 100;
const MAX_SERVERS = 256;
/** As JSON in UTF-8. */
const MAX_BYTES = 256 * 1024;

/** A file of the owner. The hash finds it again when it was uploaded anew. */
export interface SetupFile {
  id: string;
  sha256: string;
}

/** An expert on a chart. */
export interface SetupExpert {
  /** null: the host named none. */
  chart_id: string | null;
  name: string;
  symbol: string;
  period: string;
  file: SetupFile;
  inputs: Record<string, unknown>;
  allow_algo_trading: number;
  allow_dll: number;
}

export interface Setup {
  experts: SetupExpert[];
  web_requests: string[];
  servers: { name: string; address: string }[];
  server_file: SetupFile | null;
  shows_all_symbols: boolean;
  algo_trading: boolean;
  /** false: something was set up that did not fit. */
  is_complete: boolean;
}

export const EMPTY_SETUP: Setup = {
  experts: [],
  web_requests: [],
  servers: [],
  server_file: null,
  shows_all_symbols: false,
  algo_trading: false,
  is_complete: true,
};

/** What a task that ended says. */
export interface SetupTask {
  type: TaskType;
  status: TaskStatus;
  payload: Record<string, unknown>;
  /** Of its last step; its file, where the owner has it. */
  chartId: string | null;
  file: SetupFile | null;
}

export const setupTypes: readonly TaskType[] = [
  TaskType.EA_INSTALL,
  TaskType.EA_UPDATE,
  TaskType.EA_REMOVE,
  TaskType.ACCOUNT_SERVER,
  TaskType.OPTIONS_AUTO_TRADE,
  TaskType.OPTIONS_WEB_REQUEST,
  TaskType.MARKET_WATCH_SHOW_ALL,
];

const isSameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** As on the host: a path below `Experts`, or else the name in whatever folder it is. */
const isCalled = ({ name }: SetupExpert, called: string): boolean =>
  called.includes('\\') ? isSameName(name, called) : name.split('\\').at(-1) === called;

const isChosen = (expert: SetupExpert, { chart_id: id, name }: Record<string, unknown>): boolean =>
  (id === undefined || expert.chart_id === id) && (typeof name !== 'string' || isCalled(expert, name));

/** One program is one file on the terminal, whichever charts have it. */
const withProgram = (experts: readonly SetupExpert[], names: readonly string[], file: SetupFile): SetupExpert[] =>
  experts.map((each) => (names.some((name) => isSameName(each.name, name)) ? { ...each, file } : each));

const toInputs = (inputs: unknown): Record<string, unknown> => (inputs ?? {}) as Record<string, unknown>;

const install = (experts: readonly SetupExpert[], { payload, chartId, file }: SetupTask): SetupExpert[] => {
  if (!file) return [...experts];
  const { name, symbol, period, inputs } = payload as unknown as SetupExpert;
  const isPlace = (each: SetupExpert) =>
    each.symbol === symbol && each.period === period && isSameName(each.name, name);
  const expert: SetupExpert = {
    chart_id: chartId,
    name,
    symbol,
    period,
    file,
    inputs: toInputs(inputs),
    allow_algo_trading: payload.allow_algo_trading === 1 ? 1 : 0,
    allow_dll: payload.allow_dll === 1 ? 1 : 0,
  };
  const others = withProgram(experts, [name], file);
  return others.some(isPlace) ? others.map((each) => (isPlace(each) ? expert : each)) : [...others, expert];
};

const update = (experts: readonly SetupExpert[], { payload, file }: SetupTask): SetupExpert[] => {
  const inputs = toInputs(payload.inputs);
  const chosen = experts.filter((each) => isChosen(each, payload));
  const changed = experts.map((each) =>
    chosen.includes(each) ? { ...each, inputs: { ...each.inputs, ...inputs } } : each,
  );
  return file
    ? withProgram(
        changed,
        chosen.map(({ name }) => name),
        file,
      )
    : changed;
};

const addServers = ({ servers, server_file: former }: Setup, { payload, file }: SetupTask): Partial<Setup> => {
  const added = (payload.servers ?? []) as Setup['servers'];
  const kept = servers.filter(({ name }) => !added.some((server) => isSameName(server.name, name)));
  return { servers: [...added, ...kept], server_file: file ?? former };
};

const toChange = (setup: Setup, task: SetupTask): Partial<Setup> => {
  const { experts, web_requests: urls } = setup;
  const { type, payload } = task;
  // What was to be off counts as off, whether or not the terminal confirmed it.
  if (type === TaskType.OPTIONS_AUTO_TRADE) {
    const isOn = payload.allow_algo_trading === 1;
    return !isOn || task.status === TaskStatus.COMPLETED ? { algo_trading: isOn } : {};
  }
  if (task.status !== TaskStatus.COMPLETED) return {};
  if (type === TaskType.EA_INSTALL) return { experts: install(experts, task) };
  if (type === TaskType.EA_UPDATE) return { experts: update(experts, task) };
  if (type === TaskType.EA_REMOVE) return { experts: experts.filter((each) => !isChosen(each, payload)) };
  if (type === TaskType.ACCOUNT_SERVER) return addServers(setup, task);
  if (type === TaskType.MARKET_WATCH_SHOW_ALL) return { shows_all_symbols: true };
  if (type === TaskType.OPTIONS_WEB_REQUEST) {
    const url = new URL(String(payload.url)).origin;
    const others = urls.filter((each) => each !== url);
    return { web_requests: payload.remove === 1 ? others : [...others, url] };
  }
  return {};
};

const isBounded = (setup: Setup): boolean =>
  setup.experts.length <= MAX_EXPERTS &&
  setup.web_requests.length <= MAX_WEB_REQUESTS &&
  setup.servers.length <= MAX_SERVERS &&
  Buffer.byteLength(JSON.stringify(setup)) <= MAX_BYTES;

/** The setup after the task; the same where it changed nothing. What does not fit is left out. Pure. */
export const toSetupAfter = (setup: Setup, task: SetupTask): Setup => {
  const next = { ...setup, ...toChange(setup, task) };
  return isBounded(next) ? next : { ...setup, is_complete: false };
};

/** Whether two setups would make the same terminal. Charts have other ids on every terminal. Pure. */
export const isSameSetup = (one: Setup, other: Setup): boolean => {
  const withoutCharts = ({ experts, ...rest }: Setup) => [experts.map(({ chart_id: _id, ...expert }) => expert), rest];
  return isDeepStrictEqual(withoutCharts(one), withoutCharts(other));
};
