import { AnyObject, Line, OneOf, Switch, Type, type TObject } from '../schema.ts';
import { MAX_EXPERT_CHARACTERS, MAX_SYMBOL_CHARACTERS } from './names.ts';
import { periods } from './input-values.ts';
import { TaskType } from './types.ts';

const Login = Line({ minLength: 1, maxLength: 64, description: 'Trading account' });
const Password = Line({ minLength: 1, maxLength: 128, description: 'Write-only: reads back as "********"' });
const ServerName = Line({ minLength: 1, maxLength: 128, description: 'Trading server' });
const ChartId = Type.String({
  maxLength: 64,
  pattern: '^[A-Za-z0-9_-]+$',
  description: 'Chart, as returned by EA_INSTALL',
});
const FileId = Type.String({ format: 'uuid', description: 'A file uploaded with POST /v1/my/files' });
const ExpertName = Type.String({
  minLength: 1,
  maxLength: MAX_EXPERT_CHARACTERS,
  expertName: true,
  description: 'Name of the expert without its ending; a path below `Experts` has backslashes',
});
/** As brokers name them: `Volatility 75 (1s) Index`, `S&P.fs`, `EURUSD.£`. */
const SymbolName = Type.String({
  minLength: 1,
  maxLength: MAX_SYMBOL_CHARACTERS,
  symbolName: true,
  description: 'Symbol, exactly as the broker calls it',
});
/** Never part of a file, only compared with what the terminal says: nothing must keep a position open. */
const OpenSymbol = Line({ minLength: 1, maxLength: MAX_SYMBOL_CHARACTERS });
const Inputs = AnyObject(
  'Input name → value (string, number or boolean); an integer beyond 9007199254740991 as a string',
);

const screenshot = {
  chart_id: Type.Optional(ChartId),
  width: Type.Optional(Type.Integer({ minimum: 320, maximum: 3840, default: 1280 })),
  height: Type.Optional(Type.Integer({ minimum: 240, maximum: 2160, default: 800 })),
};

/** 1 to 65535. */
const PORT = '(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])';

const NamedServer = Type.Object({
  name: ServerName,
  address: Type.String({ maxLength: 261, pattern: `^[A-Za-z0-9.-]{1,253}:${PORT}$`, description: 'host:port' }),
});

/** Payload schemas by task type. Rules that span fields are in `payload-rules.ts`. */
export const payloadSchemas = {
  [TaskType.TERMINAL_INSTALL]: Type.Object({}),
  [TaskType.TERMINAL_DESTROY]: Type.Object({}),
  [TaskType.EA_INSTALL]: Type.Object({
    name: ExpertName,
    file_id: FileId,
    symbol: SymbolName,
    period: OneOf(periods, { description: 'Period' }),
    inputs: Type.Optional(Inputs),
    allow_algo_trading: Type.Optional(Switch('Let this expert trade')),
    allow_dll: Type.Optional(Switch('Let this expert call DLLs')),
  }),
  [TaskType.EA_REMOVE]: Type.Object({
    chart_id: Type.Optional(ChartId),
    name: Type.Optional(ExpertName),
    delete_file: Type.Optional(Switch('Delete the file when no chart uses it')),
  }),
  [TaskType.EA_UPDATE]: Type.Object({
    chart_id: Type.Optional(ChartId),
    name: Type.Optional(ExpertName),
    file_id: Type.Optional(FileId),
    inputs: Type.Optional(Inputs),
  }),
  [TaskType.EA_LOGS]: Type.Object({
    source: Type.Optional(OneOf(['experts', 'journal'], { default: 'experts' })),
    date: Type.Optional(Type.String({ isoDate: true, description: 'YYYY-MM-DD, default today on the host' })),
    lines: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 200, description: 'The last N lines' })),
    contains: Type.Optional(Line({ maxLength: 255, description: 'Only lines with this text' })),
  }),
  [TaskType.SCREENSHOT]: Type.Object(screenshot),
  [TaskType.SCREENSHOT_LATENCY]: Type.Object({
    ...screenshot,
    samples: Type.Optional(Type.Integer({ minimum: 1, maximum: 20, default: 5 })),
  }),
  [TaskType.ACCOUNT_SERVER]: Type.Object({
    servers: Type.Optional(Type.Array(NamedServer, { minItems: 1, maxItems: 64 })),
    file_id: Type.Optional(FileId),
  }),
  [TaskType.ACCOUNT_LOGIN]: Type.Object({
    login: Type.Optional(Login),
    password: Type.Optional(Password),
    server_name: Type.Optional(ServerName),
  }),
  [TaskType.ACCOUNT_LOGOUT]: Type.Object({ forget_password: Type.Optional(Switch('Delete the stored password')) }),
  [TaskType.ACCOUNT_OPEN_DEMO]: Type.Object({
    server_name: ServerName,
    name: Line({ minLength: 1, maxLength: 128, description: 'Name of the account holder' }),
    email: Type.String({ format: 'email', maxLength: 255 }),
    balance: Type.Optional(Type.Number({ minimum: 1, maximum: 1_000_000_000 })),
    leverage: Type.Optional(Type.Integer({ minimum: 1, maximum: 5000 })),
    currency: Type.Optional(
      Type.String({ pattern: '^[A-Z]{3}$', description: 'Three capital letters, for example USD' }),
    ),
  }),
  [TaskType.OPTIONS_AUTO_TRADE]: Type.Object({ allow_algo_trading: Switch('1 = on, 0 = off') }),
  [TaskType.OPTIONS_WEB_REQUEST]: Type.Object({
    url: Type.String({ maxLength: 255, webOrigin: true, description: 'http(s)://host[:port], no path and no *' }),
    remove: Type.Optional(Switch('1 = take the URL off the list')),
  }),
  [TaskType.MARKET_WATCH_SHOW_ALL]: Type.Object({}),
  [TaskType.CLOSE_ALL]: Type.Object({
    symbols: Type.Optional(
      // An empty list is refused: it must not be read as "all".
      Type.Array(OpenSymbol, { minItems: 1, maxItems: 100, description: 'Only positions and orders of these symbols' }),
    ),
    magic: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Only those that experts with this magic number opened; 0 means opened by hand',
      }),
    ),
  }),
  [TaskType.TERMINAL_RESTART]: Type.Object({}),
  [TaskType.TERMINAL_STOP]: Type.Object({}),
  [TaskType.TERMINAL_START]: Type.Object({}),
} as const satisfies Record<TaskType, TObject>;
