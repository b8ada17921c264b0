/**
 * What a host must have observed for each type of task before the task counts as done. A host is a stranger's machine,
 * and a driver may be wrong: "completed" alone proves nothing.
 */
import { isSameLogin, isSameServerName, TaskType } from '@berth/contract';

export type Facts = Record<string, unknown>;

/** What was requested. */
export interface Asked {
  payload: Facts;
  /** The terminal's own account; undefined where the terminal is gone. */
  account: { login: string; server_name: string } | undefined;
  /** Of the file in the payload; undefined where the server no longer has it. */
  sha256: string | undefined;
}

/** @returns what is missing, as a sentence; undefined where the facts prove that the task was done */
type Proof = (facts: Facts, asked: Asked) => string | undefined;

const isText = (value: unknown): value is string => typeof value === 'string';
const toTexts = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const UNCONFIRMED = 'The host did not confirm that this was done.';

const holds =
  (isProven: (facts: Facts, asked: Asked) => boolean, doubt = UNCONFIRMED): Proof =>
  (facts, asked) =>
    isProven(facts, asked) ? undefined : doubt;

const isAskedFile = (sha256: unknown, asked: Asked): boolean => isText(sha256) && (asked.sha256 ?? sha256) === sha256;

const toOrigin = (url: unknown): string | undefined =>
  URL.canParse(String(url)) ? new URL(String(url)).origin : undefined;

const isSame = (compare: (one: string, other: string) => boolean, one: unknown, other: unknown): boolean =>
  isText(one) && isText(other) && compare(one, other);
const isSameServer = (one: unknown, other: unknown): boolean => isSame(isSameServerName, one, other);

const toName = ({ login, server_name: server }: Facts): string => `${String(login)} on ${String(server)}`;

const proveLogin: Proof = (facts, { payload, account }) => {
  const wanted = {
    login: payload.login ?? account?.login,
    server_name: payload.server_name ?? account?.server_name,
  };
  if (facts.connected !== true || !isText(facts.login) || !isText(facts.server_name)) {
    return `The host did not confirm that the terminal is logged in to ${toName(wanted)}.`;
  }
  const isWanted =
    isSame(isSameLogin, facts.login, wanted.login) && isSameServer(facts.server_name, wanted.server_name);
  return isWanted ? undefined : `The terminal is logged in to ${toName(facts)}, not to ${toName(wanted)}.`;
};

const proveUpdate: Proof = ({ sha256, charts }, asked) => {
  const { file_id: fileId, chart_id: chartId } = asked.payload;
  const hasFile = fileId === undefined || isAskedFile(sha256, asked);
  const ids = toTexts(charts);
  return hasFile && ids.length > 0 && (chartId === undefined || ids.includes(chartId)) ? undefined : UNCONFIRMED;
};

const proveServers: Proof = ({ known, sha256 }, asked) => {
  const { servers, file_id: fileId } = asked.payload;
  const names = toTexts(servers).map((server) => (server as { name?: unknown }).name);
  const isKnown = (name: unknown) => toTexts(known).some((each) => isSameServer(each, name));
  const hasNames = Array.isArray(known) && names.every(isKnown);
  return hasNames && (fileId === undefined || isAskedFile(sha256, asked)) ? undefined : UNCONFIRMED;
};

const proveWebRequest: Proof = ({ urls }, { payload }) => {
  const isListed = toTexts(urls).includes(toOrigin(payload.url));
  return Array.isArray(urls) && isListed === (payload.remove !== 1) ? undefined : UNCONFIRMED;
};

/** Nothing left, as the host says, and as the account itself said when it was read again afterwards. */
const proveClosed: Proof = ({ left_open: left, remaining }) => {
  if (Array.isArray(left) && left.length > 0) return `${left.length} positions or orders could not be closed.`;
  return Array.isArray(left) && remaining === 0
    ? undefined
    : 'The account was not read again after closing, or still has positions or orders.';
};

const RUNS = 'The host did not confirm that the terminal runs and is logged in.';

const proofs: Record<TaskType, Proof> = {
  [TaskType.TERMINAL_INSTALL]: holds(({ path }) => isText(path)),
  [TaskType.TERMINAL_DESTROY]: holds(({ freed_bytes: freed }) => typeof freed === 'number'),
  [TaskType.EA_INSTALL]: holds(({ chart_id: id, sha256 }, asked) => isText(id) && isAskedFile(sha256, asked)),
  [TaskType.EA_REMOVE]: holds(({ removed }) => Array.isArray(removed)),
  [TaskType.EA_UPDATE]: proveUpdate,
  [TaskType.EA_LOGS]: holds(({ lines }) => Array.isArray(lines)),
  [TaskType.SCREENSHOT]: holds(({ file }) => file !== undefined, 'The host did not upload a screenshot.'),
  [TaskType.SCREENSHOT_LATENCY]: holds(
    ({ file, latency_ms: latency }) => file !== undefined && latency !== undefined,
    'The host did not upload a screenshot with its latency.',
  ),
  [TaskType.ACCOUNT_SERVER]: proveServers,
  [TaskType.ACCOUNT_LOGIN]: proveLogin,
  [TaskType.ACCOUNT_LOGOUT]: holds(
    ({ connected }) => connected === false,
    'The host did not confirm that the terminal is logged out.',
  ),
  [TaskType.ACCOUNT_OPEN_DEMO]: holds(
    ({ login, server_name: server }, { payload }) =>
      isText(login) && isSameServer(server, payload.server_name ?? server),
  ),
  [TaskType.OPTIONS_AUTO_TRADE]: holds(
    ({ verified, enabled }, { payload }) => verified === true && enabled === (payload.allow_algo_trading === 1),
    'The terminal did not confirm the switch.',
  ),
  [TaskType.OPTIONS_WEB_REQUEST]: proveWebRequest,
  [TaskType.MARKET_WATCH_SHOW_ALL]: holds(({ symbols }) => typeof symbols === 'number'),
  [TaskType.CLOSE_ALL]: proveClosed,
  [TaskType.TERMINAL_RESTART]: holds(({ running, connected }) => running === true && connected === true, RUNS),
  [TaskType.TERMINAL_STOP]: holds(
    ({ running }) => running === false,
    'The host did not confirm that the terminal is stopped.',
  ),
  [TaskType.TERMINAL_START]: holds(({ running, connected }) => running === true && connected === true, RUNS),
};

const LOOK = 'Take a screenshot to see its state, then repeat the task.';
const LOOK_FIRST = 'The account may exist: take a screenshot before you ask for another one.';

/** Why the facts do not prove that the task was done, and what to do then; undefined where they do. Pure. */
export const findDoubt = (type: TaskType, facts: Facts, asked: Asked): string | undefined => {
  const doubt = proofs[type](facts, asked);
  return doubt && `${doubt} ${type === TaskType.ACCOUNT_OPEN_DEMO ? LOOK_FIRST : LOOK}`;
};
