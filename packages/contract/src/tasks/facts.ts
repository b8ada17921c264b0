import { Line, Nullable, Type, type TObject } from '../schema.ts';
import { tradingReasons, type TradingReason } from '../terminals/values.ts';
import { TaskType } from './types.ts';

const MAX_CHARTS = 100;
const MAX_NAMES = 1000;
/** Scheme, host and port: what an allow-list contains, without a path. People may have entered `*`, too. */
const ORIGIN = '^https?://[A-Za-z0-9.*_\\[\\]:-]+$';

const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$', maxLength: 64, description: 'Of the program' });
const NullableSha256 = Nullable('string', { pattern: '^[0-9a-f]{64}$', maxLength: 64, description: 'Before it' });
const ChartId = Type.String({ pattern: '^[A-Za-z0-9_-]+$', maxLength: 64 });
const ChartIds = Type.Array(ChartId, { maxItems: MAX_CHARTS, description: 'Chart ids' });
const Count = (description: string) => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });
const Milliseconds = Type.Number({ minimum: 0, maximum: 86_400_000 });

/** Folder of an installation, as a path of a Unix or a Windows machine; a terminal's `path` must match it, too. */
export const HostPath = Line({
  maxLength: 1024,
  pattern: '^(?:/(?![/\\\\])|[A-Za-z]:[/\\\\])[^<>]*$',
  description: 'Installation folder',
});

/** A host cannot set `url`: the server derives it from the file that the task uploaded. */
const ScreenshotFile = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    sha256: Sha256,
    bytes: Count('Size'),
    width: Type.Integer({ minimum: 1, maximum: 100_000 }),
    height: Type.Integer({ minimum: 1, maximum: 100_000 }),
    type: Type.String({ maxLength: 127, pattern: '^[a-z0-9.+-]+/[a-z0-9.+-]+$' }),
  },
  { description: '`{id, url, sha256, bytes, width, height, type}`; `url` is made by the server' },
);

/** `TradingState` as a schema. */
export const tradingFields = {
  trading_allowed: Type.Unsafe<boolean | null>({
    type: ['boolean', 'null'],
    description: 'Whether experts may trade; null if not known',
  }),
  trading_reason: Type.Unsafe<TradingReason | null>({
    type: ['string', 'null'],
    enum: [...tradingReasons, null],
    description: 'Why not',
  }),
};

const Fetched = { sha256: Sha256 };

const Login = Line({ minLength: 1, maxLength: 64 });
const ServerName = Line({ minLength: 1, maxLength: 128 });

/** A terminal that runs, and the account that it is logged in to. */
const Running = {
  running: Type.Boolean({ description: "Whether the terminal's program runs" }),
  login: Login,
  server_name: ServerName,
  connected: Type.Boolean(),
  ping_ms: Nullable<number>('number', { minimum: 0, maximum: 86_400_000 }),
  ...tradingFields,
};

/** A position or order that could not be closed. */
const LeftOpen = Type.Object({
  ticket: Type.String({ pattern: '^[0-9]{1,20}$', maxLength: 20 }),
  symbol: Line({ minLength: 1, maxLength: 64 }),
  message: Line({ maxLength: 200, pattern: '^[^<>]*$' }),
});

/**
 * Facts that a step of any type may state: the screenshot of a dialog that blocked it, and unknown content of the
 * terminal's files.
 */
export const anyStepFacts = Type.Object({
  file: ScreenshotFile,
  not_understood: Type.Array(Line({ minLength: 1, maxLength: 200, pattern: '^[^<>]*$' }), {
    maxItems: 20,
    description: 'Files of the terminal, and lines in them, that the host did not understand and left as they are',
  }),
});

/**
 * What a host may state in the `data` of a task's steps, by type of task. Everything is optional here: a step states
 * what it knows, the last one what docs/http-api/tasks.md promises. Unknown or invalid facts are dropped.
 */
export const factSchemas = {
  [TaskType.TERMINAL_INSTALL]: Type.Object({
    path: HostPath,
    build: Nullable<number>('integer', { minimum: 0, maximum: 1_000_000, description: 'Build of the terminal' }),
  }),
  [TaskType.TERMINAL_DESTROY]: Type.Object({ freed_bytes: Count('Disk space that came free') }),
  [TaskType.EA_INSTALL]: Type.Object({ chart_id: ChartId, sha256: Sha256, ...tradingFields }),
  [TaskType.EA_REMOVE]: Type.Object({ removed: ChartIds }),
  [TaskType.EA_UPDATE]: Type.Object({
    old_sha256: NullableSha256,
    sha256: Nullable('string', { pattern: '^[0-9a-f]{64}$', maxLength: 64, description: 'After it' }),
    charts: ChartIds,
    ...tradingFields,
  }),
  [TaskType.EA_LOGS]: Type.Object({
    lines: Type.Array(Type.String({ logLine: true, maxLength: 262_144 }), {
      maxItems: 1000,
      description: '`time TAB source TAB text`; a line of another form has neither time nor source',
    }),
    truncated: Type.Boolean({ description: 'There were more' }),
  }),
  [TaskType.SCREENSHOT]: Type.Object({ file: ScreenshotFile }),
  [TaskType.SCREENSHOT_LATENCY]: Type.Object({
    file: ScreenshotFile,
    latency_ms: Type.Object(
      {
        min: Milliseconds,
        avg: Milliseconds,
        max: Milliseconds,
        loss: Type.Number({ minimum: 0, maximum: 100 }),
      },
      { description: '`{min, avg, max, loss}`; loss in percent' },
    ),
  }),
  [TaskType.ACCOUNT_SERVER]: Type.Object({
    ...Fetched,
    known: Type.Array(Line({ minLength: 1, maxLength: 128 }), {
      maxItems: MAX_NAMES,
      description: 'Servers with an address',
    }),
  }),
  [TaskType.ACCOUNT_LOGIN]: Type.Object({
    login: Login,
    server_name: ServerName,
    connected: Type.Boolean(),
    ping_ms: Nullable<number>('number', { minimum: 0, maximum: 86_400_000 }),
    ...tradingFields,
  }),
  [TaskType.ACCOUNT_LOGOUT]: Type.Object({ connected: Type.Boolean() }),
  [TaskType.ACCOUNT_OPEN_DEMO]: Type.Object({
    login: Login,
    server_name: ServerName,
  }),
  [TaskType.OPTIONS_AUTO_TRADE]: Type.Object({
    enabled: Type.Boolean({ description: "The terminal's switch" }),
    verified: Type.Boolean({
      description: 'The terminal confirmed it, or was started with it and has said nothing of the switch since',
    }),
    ...tradingFields,
  }),
  [TaskType.OPTIONS_WEB_REQUEST]: Type.Object({
    urls: Type.Array(Type.String({ maxLength: 255, pattern: ORIGIN }), {
      maxItems: MAX_NAMES,
      description: 'Addresses without a path',
    }),
  }),
  [TaskType.MARKET_WATCH_SHOW_ALL]: Type.Object({ symbols: Count('How many are shown') }),
  [TaskType.CLOSE_ALL]: Type.Object({
    closed: Count('Positions and orders that were closed'),
    total: Count('Positions and orders that were to be closed'),
    left_open: Type.Array(LeftOpen, {
      maxItems: 1000,
      description: '`[{ticket, symbol, message}]`: what could not be closed, and why',
    }),
    remaining: Nullable<number>('integer', {
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'How many of them the account still had when it was read again; null if it could not be read',
    }),
  }),
  [TaskType.TERMINAL_RESTART]: Type.Object(Running),
  [TaskType.TERMINAL_STOP]: Type.Object({ running: Running.running }),
  [TaskType.TERMINAL_START]: Type.Object(Running),
} as const satisfies Record<TaskType, TObject>;
