/**
 * Comments of fields: what the schema says of the field in its `description`, or the comment before it. What neither says is said
 * here by the name of the field, where it means the same everywhere.
 */
import ts from 'typescript';

const common = {
  AlertOpened: 'An alert began.',
  AlertResolved: 'An alert is over.',
  BackupFailed: 'A scheduled backup failed, or none succeeded for too long.',
  HostLost: 'A host went silent.',
  PasswordChanged: 'The password was changed; always on.',
  RiskBreached: 'A risk limit was reached.',
  TaskFailed: 'A task failed.',
  TerminalCrashed: 'The program of a terminal ended.',
  TerminalDestroyed: 'A terminal was deleted.',
  TerminalDisconnected: 'A terminal lost its trading server.',
  TerminalFailed: 'A terminal could not be installed.',
  TerminalLoginFailed: 'A login was refused.',
  TerminalReady: 'A terminal is ready.',
  TokenCreated: 'An API token was created; always on.',
  WebhookDisabled: 'A webhook was disabled, because its endpoint failed.',
  abilities: 'What the token may do; `*` stands for everything.',
  action: 'What was done.',
  actions: 'What is done.',
  after: 'Where the page goes on: the `next_cursor` of the one before.',
  agent_version: "Version of the host's agent; null until it has connected.",
  amount: 'Limit as an amount; null: it is in percent.',
  api_url: 'Address of the API.',
  at: 'When it happened, ISO 8601, UTC.',
  attempts: 'How many times a host has been given the task.',
  avg: 'Average.',
  balance: 'Deposit of the demo account.',
  before: 'What changed, as it was; null: it was not there.',
  bases: 'Installations that new terminals are copied from.',
  basis: 'What the start of the day counts.',
  bot_token: 'Token of the bot.',
  buffer: 'How much earlier the limit acts.',
  build: 'Build of the terminal; null if not known.',
  can_act: 'Whether orders of the rule would be taken now; null: not known.',
  canceled: 'Canceled before they ran.',
  capacity: 'How many terminals it takes.',
  cash_flows: 'Whether deposits and withdrawals move the limit.',
  chart_id: 'Chart, as EA_INSTALL returned it.',
  chat_id: 'Chat to write to.',
  check: 'What is looked at.',
  code: 'The code that was mailed.',
  comment: 'Comment that was given with the order.',
  commission: 'Commission.',
  complete_until: 'Until then no deal is missing.',
  confirm_ms: 'How long the account must stay beyond the limit, in milliseconds.',
  connected: 'Whether the terminal is connected to its trading server.',
  created_at: 'When it was created, ISO 8601, UTC.',
  credit: 'Credit of the broker.',
  currency: 'Currency of the account.',
  current_page: 'Number of this page, from 1.',
  current_password: 'The password as it is now.',
  data: 'What the server or the step reports.',
  day_start: 'What the day began with.',
  day_starts: 'When a day begins, HH:MM.',
  deleted_at: 'When it was deleted; null if it was not.',
  description: 'Your notes about it; null if there are none.',
  email: 'E-mail address, which is also the name to sign in with.',
  email_verified_at: 'When the address was verified; null if it was not.',
  enabled: 'Whether it is switched on.',
  equity: 'Equity: the balance with what is open.',
  equity_at_day_end: 'Equity at the end of that day.',
  equity_max: 'Highest equity.',
  equity_min: 'Lowest equity.',
  equity_then: 'Equity at that time.',
  event: 'What happened.',
  events: 'Types of events; `terminal.*` is all that begin so, `*` all.',
  experts: 'What happened to experts; null: nothing.',
  expires_at: 'When it expires, ISO 8601, UTC; null means never.',
  fee: 'Charged beside the commission, in the currency of the account.',
  file_id: 'File to download.',
  filter: 'Filters of the list of terminals.',
  first_page_url: 'Address of the first page.',
  free_margin: 'Margin that is left.',
  from: 'From then on.',
  hard_limit: 'Always null.',
  height: 'Height in pixels.',
  high_water: 'Highest value so far.',
  id: 'Identifier.',
  initial_balance: 'What the account began with; null: not known.',
  is_operator: 'Whether the user operates this instance.',
  join_token: 'The token, which enrols one host.',
  kind: 'Kind.',
  label: 'Name to show.',
  last_page: 'Number of the last page.',
  last_page_url: 'Address of the last page.',
  last_24_hours: 'What became of the deliveries that ended in them.',
  last_seen_at: 'When the host was last heard from; null if never.',
  last_used_at: 'When it was last used; null if never.',
  leverage: 'Leverage of the demo account: 100 means 1:100.',
  limit: 'Where the limit is.',
  link: 'Connection to the trading server.',
  lock_until: 'When a lock ends: by a person, or with the day.',
  login: 'Number of the trading account.',
  loss: 'Lost pings, in percent.',
  margin: 'Margin in use.',
  margin_level: 'Equity in percent of the margin; null: nothing is open.',
  margin_mode: 'Hedging or netting.',
  max: 'Largest value.',
  measure: 'What is compared with the limit; null: positions are counted.',
  memory_mb: 'Memory in use, in MB; null if not known.',
  memory_total_mb: 'Memory of the host, in MB; null if not known.',
  message: 'What happened, in a sentence.',
  min: 'Smallest value.',
  missed: 'What becomes of runs that were missed.',
  msg: 'What happened, in a sentence.',
  name: 'Name.',
  new_password: 'The new password.',
  new_password_confirmation: 'The new password again.',
  notifiable_model: 'Kind of the receiver.',
  offers: 'Platforms and how the host runs them.',
  ok: 'Whether it succeeded.',
  open_price: 'Price at which it was opened.',
  opened_at: 'When it was opened, ISO 8601, UTC.',
  order: 'Order that led to the deal.',
  pagination: 'Where this page is in the list.',
  password: 'The password. It is never shown again.',
  password_confirmation: 'The password again.',
  payload: 'Parameters of the task.',
  per_page: 'Items on a page.',
  percent: 'Limit in percent; null: it is an amount.',
  percent_of: 'What the percentage is of.',
  phase: 'Whether its host acts, holds it, or has ended it.',
  ping_ms: 'Round trip to the trading server, in milliseconds; null if not known.',
  placed_at: 'When it was placed, ISO 8601, UTC.',
  plan_expires_at: 'When the plan ends; null means never.',
  planned_at: 'When to run it, ISO 8601, UTC; null means as soon as possible.',
  platform: 'Program that the terminal runs.',
  platforms: 'Programs that the host can run.',
  position_id: 'Position that the deal belongs to.',
  price: 'Price.',
  profit: 'Profit in the currency of the account, without swap and commission.',
  project_id: 'Project that the terminal belongs to.',
  read_at: 'When it was read; null if it is unread.',
  reason: 'Why.',
  referrer_id: 'Who invited the user; null if nobody did.',
  region: 'Number of the region.',
  removed: 'Charts with an expert that were closed.',
  result: 'What the task came to.',
  result_today: 'Result of the day.',
  rule_name: 'Name of the rule.',
  runner_result: 'Steps so far, oldest first.',
  samples: 'How many pings to measure.',
  search: 'Only those whose name contains this text.',
  server_name: 'Trading server, as the broker names it.',
  server_url: 'Server of the service.',
  servers: 'Trading servers.',
  settings: 'Where the channel leads.',
  sha256: 'SHA-256 of the content, in hex.',
  side: 'Buy or sell.',
  since: 'Since when, ISO 8601, UTC.',
  soft_limit: 'Always null.',
  sort_by: 'Field to sort by.',
  sort_direction: 'Ascending or descending.',
  source: 'Which log.',
  start: 'What it was at the start.',
  state: 'State.',
  status: 'Status.',
  status_changed_at: 'When the status last changed, ISO 8601, UTC.',
  status_name: 'Name of the status.',
  step_seconds: 'Seconds between two points.',
  stop_loss: 'Stop loss; null: none.',
  subject: 'What the alert is about.',
  swap: 'Swap so far.',
  symbol: 'Symbol of the chart.',
  take_profit: 'Take profit; null: none.',
  taken_at: 'When it was taken, ISO 8601, UTC.',
  task_id: 'Task; null if none was created.',
  terminal_id: 'Terminal.',
  terminal_ids: 'Terminals that are meant; null: they are not named.',
  ticket: 'Number of the position, order or deal at the broker.',
  time_zone: 'IANA name of the time zone.',
  to: 'Status after the move.',
  token: 'Access token.',
  token_type: 'How the token is sent.',
  tokenable_type: 'Kind of the owner.',
  topic: 'Topic to publish to.',
  total: 'How many there are.',
  trade_denied_by: 'What stands against orders; null: not known.',
  trail: 'What the limit follows; null: nothing.',
  trail_stops_at: 'Where a trailing limit stops rising; null: nowhere.',
  type: 'Type.',
  updated_at: 'When it last changed, ISO 8601, UTC.',
  url: 'Address.',
  used: 'How much of the limit is used.',
  user: 'Who is signed in.',
  value: 'What was measured.',
  volume: 'Size in lots.',
  warn_at: 'Where there is a warning.',
  warn_percent: 'At how many percent of the limit there is a warning.',
  warnings: 'What to mind.',
  webhook_url: 'Address that the service gave.',
  when: 'What the rule looks for.',
  width: 'Width in pixels.',
  Ability: 'What a token may do.',
  AccountStatus: 'Statuses of accounts, by name.',
  AlertChannelKind: 'Kinds of channels.',
  AlertCondition: 'What a rule of alerts looks for.',
  BulkRunState: 'State of a run on one terminal.',
  CreatedTask: 'A task as its creation returns it.',
  ErrorCode: 'Stable codes of errors.',
  HostStatus: 'Statuses of hosts, by name.',
  LiveEventName: 'Names of live events.',
  Pagination: 'Where a page is in its list.',
  Platform: 'Programs that Berth runs.',
  Profile: 'The account that a token or session belongs to.',
  Project: 'A group of terminals.',
  ResultStatus: 'How a task ended, by name.',
  StepCode: 'Why a step failed.',
  Task: 'A task of a terminal. Its `type` tells its payload and result apart.',
  TaskStatus: 'Statuses of tasks, by name.',
  TaskStatusName: 'Names of the statuses of tasks.',
  TaskType: 'Types of tasks, by name.',
  TaskTypeName: 'Names of the types of tasks.',
  TerminalCounts: 'How many terminals there are, in total and by status.',
  TerminalOverview: 'The last 24 hours of a terminal.',
  TerminalStatus: 'Statuses of terminals, by name.',
  TerminalStatusName: 'Names of the statuses of terminals.',
  Token: 'An API token, without its secret.',
  UserNotification: 'A notification.',
};

const findCommon = (name) => (Object.hasOwn(common, name) ? common[name] : undefined);

/** Makers of schemas whose first argument is the description. */
const describers = new Set(['Uuid', 'Timestamp', 'NullableTimestamp', 'AnyObject', 'Switch', 'Count', 'Percent']);
const MAX_STEPS = 6;

const toText = (node, checker) => {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isBinaryExpression(node)) {
    const sides = [node.left, node.right].map((side) => toText(side, checker));
    return sides.every((side) => side !== undefined) ? sides.join('') : undefined;
  }
  if (!ts.isTemplateExpression(node)) return undefined;
  const spans = node.templateSpans.map(({ expression, literal }) => {
    const type = checker.getTypeAtLocation(expression);
    return `${type.isLiteral() ? type.value : expression.getText()}${literal.text}`;
  });
  return node.head.text + spans.join('');
};

const findDeclared = (node, checker) => {
  let symbol = checker.getSymbolAtLocation(ts.isPropertyAccessExpression(node) ? node.name : node);
  if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
  return symbol?.valueDeclaration?.initializer;
};

/** What a schema says of itself: `Type.Optional(Uuid('…'))`, `Type.String({ description: '…' })`, `Name` of a constant. */
const findDescription = (node, checker, steps = 0) => {
  if (!node || steps > MAX_STEPS) return undefined;
  const next = (inner) => findDescription(inner, checker, steps + 1);
  if (ts.isIdentifier(node) || ts.isPropertyAccessExpression(node)) return next(findDeclared(node, checker));
  if (ts.isObjectLiteralExpression(node)) {
    const own = node.properties.find((property) => property.name?.getText() === 'description');
    return own?.initializer && toText(own.initializer, checker);
  }
  if (!ts.isCallExpression(node)) return undefined;
  const [name] = node.expression.getText().split('.').slice(-1);
  const [first, ...others] = node.arguments;
  if (describers.has(name)) return first && toText(first, checker);
  const outer = others.map(next).find(Boolean);
  if (outer) return outer;
  // The fields of an object and the items of a list speak of themselves, not of what they are in.
  return ['Object', 'Array', 'Union'].includes(name) ? undefined : next(first);
};

/** @returns a sentence, or undefined where nobody says anything */
export const findComment = (symbol, checker) => {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  for (const one of [symbol, target]) {
    const text = ts.displayPartsToString(one.getDocumentationComment(checker));
    if (text) return text;
  }
  const described = (target.declarations ?? []).map(({ initializer }) => findDescription(initializer, checker));
  const text = described.find(Boolean) ?? findCommon(target.name);
  return text && (/[.!?]$/.test(text) ? text : `${text}.`);
};
