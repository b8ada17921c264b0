/** The prose of the document; every table in it is derived from the contract. */
import {
  errorTable,
  liveEventMeanings,
  liveEvents,
  payloadSchemas,
  ResultStatus,
  stepCodes,
  taskCatalogue,
  TaskStatus,
  taskTypes,
  TerminalStatus,
  type LiveEventName,
  type TaskDefinition,
  type TaskStatusName,
  type TerminalStatusName,
  type TObject,
} from '@berth/contract';

const toTable = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const toFieldNames = ({ properties }: Pick<TObject, 'properties'>): string =>
  Object.keys(properties)
    .map((field) => `\`${field}\``)
    .join(', ') || '`{}`';

export const watchEventsText = `An answer of the type \`text/event-stream\` that does not end. Its events, each with a JSON object as data:

${toTable(
  ['event', 'data', 'means'],
  Object.entries(liveEventMeanings).map(([name, meaning]) => [
    `\`${name}\``,
    toFieldNames(liveEvents[name as LiveEventName]),
    meaning,
  ]),
)}

An event comes after the change is committed, whichever server made it. Entries of the log (\`happened\`) have an \`id:\`. A reader that comes back with the last one in the header \`Last-Event-ID\` gets \`ready\`, then what happened since, each entry once and in order; where that is too much, or too long ago, it gets \`reset\`. The other events are hints: they have no id and are not repeated.
Every 15 seconds there is a comment, so a reader that hears nothing for 30 seconds should connect again. The answer ends when the token is revoked or expires, when the account is suspended, and when the server stops.`;

export const downloadText =
  'Every file has its SHA-256 as `ETag`: with `If-None-Match` the answer is 304 where you have it. `Range: bytes=100-199`, `bytes=100-` or `bytes=-100` asks for a part (206), `If-Range` for the part of just this file; several parts at once are answered by the whole file.';

const taskStatusMeanings: Record<TaskStatusName, string> = {
  PENDING: 'waiting to be processed',
  QUEUED: 'queued for execution',
  DELIVERED: 'delivered to the agent',
  RUNNING: 'being executed',
  COMPLETED: 'completed successfully',
  FAILED: 'execution failed',
  CANCELED: 'canceled',
  TERMINATED: 'terminated by the system',
};

const terminalStatusMeanings: Record<TerminalStatusName, string> = {
  PENDING: 'accepted; no host yet, or not started',
  INSTALLING: 'being installed',
  CONNECTING: 'login running',
  ACTIVE: 'logged in',
  DISCONNECTED: 'runs without a link to the broker',
  STOPPED: 'logged out',
  LOGIN_FAILED: 'not logged in: refused, unknown server, no password or no account; `status_reason` says which',
  FAILED: 'the installation gave up',
  DESTROYING: 'being destroyed',
  DESTROYED: 'destroyed; no longer listed',
  UNREACHABLE: 'its host is lost',
};

const toStatusTable = <Name extends string>(statuses: Record<Name, number>, meanings: Record<Name, string>): string =>
  toTable(
    ['Value', 'Name', 'Meaning'],
    (Object.entries(statuses) as [Name, number][]).map(([name, status]) => [status, name, meanings[name]]),
  );

/** `name` r, `file_id`, …: the fields of a payload; r marks a required one. */
const toPayloadFields = ({ type }: TaskDefinition): string => {
  const { properties, required }: TObject = payloadSchemas[type];
  return Object.keys(properties)
    .map((field) => (required?.includes(field) ? `\`${field}\` r` : `\`${field}\``))
    .join(', ');
};

const toTypeTable = (): string =>
  toTable(
    ['Value', 'Name', 'Meaning', 'Payload (r = required)'],
    taskTypes.map((type) => {
      const definition = taskCatalogue[type];
      return [type, definition.name, definition.meaning, toPayloadFields(definition)];
    }),
  );

export const createTaskText = `The task is carried out after the answer; read it to follow it.

${toTypeTable()}

The payload of each type is described by the schemas \`Payload.<NAME>\`; an unknown key is 422, and the text names the nearest known one. A
payload may have up to 16 KiB. A \`planned_at\` without a zone is UTC; one in the past means now. TERMINAL_INSTALL is created by the service alone; TERMINAL_DESTROY needs the abilities \`write\` and \`delete\`. A task
for a terminal that is not installed yet waits behind the installation, and ends FAILED with \`E_NOT_RUNNING\` if that fails. A terminal
whose state forbids the task (FAILED, DESTROYING, DESTROYED) is answered with HTTP 200 and \`ok\` false.`;

export const introduction = `Accounts, and trading terminals on hosted servers: create them, list them, and command them by tasks.

## Authentication
Send \`Authorization: Bearer <id>|<secret>\`. Logging in gives a token with every ability; API tokens carry those of \`read\`, \`write\` and
\`delete\` that they were given (\`*\` means all). Each operation names the ability that it needs.

## Answers
Most answers are \`{ok, msg, data}\`, lists add \`pagination\`. Timestamps are ISO 8601 in UTC with microseconds, those of a
task's steps with milliseconds; the task fields \`delivered_at\`, \`started_at\` and \`finished_at\` are Unix seconds. Every answer carries \`X-Request-Id\`.

## Errors
A request that breaks a rule is answered 422 with \`{message, errors, code, hint}\`. Every other error is \`{ok: false, msg, data: null,
code, hint}\`: a stable code, and what to do next. The headers \`X-Error-Code\` and \`X-Error-Hint\` say the same. Query parameters
that an operation does not know are ignored, and \`ignored\` in its answer names them.

${toTable(
  ['Status', 'Code', 'Text', 'Cause', 'What to do'],
  Object.entries(errorTable).map(([code, { status, msg, cause, hint }]) => [status, `\`${code}\``, msg, cause, hint]),
)}

## Task statuses
${toStatusTable(TaskStatus, taskStatusMeanings)}

4 to 7 are final. A task's \`result\` is \`{runner_result: [{step, ok, code, message, at, data}], status}\` with the status
${Object.entries(ResultStatus)
  .map(([name, status]) => `${status} ${name}`)
  .join(', ')}; the codes are ${stepCodes.map((code) => `\`${code}\``).join(', ')}.

## Terminal statuses
${toStatusTable(TerminalStatus, terminalStatusMeanings)}
`;
