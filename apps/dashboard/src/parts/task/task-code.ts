/** A call of the API as a shell command or as TypeScript, to be copied. Neither contains a secret. */
import { isTaskType, toTaskTypeName } from '@berth/contract/values';
import type { Task } from '@berth/client';
import { toAddress } from '../../data/address.ts';
import { quote } from '../shell-quote.ts';

const toUrl = (path: string): string => location.origin + toAddress(path);

export const toCurl = (method: 'GET' | 'POST', path: `/${string}`, body?: object): string =>
  [
    `curl -s ${method === 'GET' ? '' : `-X ${method} `}${quote(toUrl(path))}`,
    `  -H "Authorization: Bearer $TOKEN"`,
    ...(body === undefined ? [] : [`  -H 'Content-Type: application/json'`, `  -d ${quote(JSON.stringify(body))}`]),
  ].join(' \\\n');

type Requested = Pick<Task, 'terminal_id' | 'type' | 'payload'>;

const isEmpty = (payload: object): boolean => Object.keys(payload).length === 0;

/** The command that creates the same task again. */
export const toTaskCurl = ({ terminal_id: terminalId, type, payload }: Requested): string =>
  toCurl('POST', `/v1/my/trading/terminals/${terminalId}/tasks`, { type, ...(isEmpty(payload) ? {} : { payload }) });

/** JSON that is also TypeScript: U+2028 and U+2029 are escaped. */
const toLiteral = (value: unknown): string =>
  JSON.stringify(value, null, 2).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');

/** A program that creates the same task with the client, and waits for its end. */
export const toTaskTypeScript = ({ terminal_id: terminalId, type, payload }: Requested): string => {
  const name = isTaskType(type) ? toTaskTypeName(type) : String(type);
  const last = isEmpty(payload) ? '' : `, ${toLiteral(payload)}`;
  return [
    `import { Berth } from '@berth/client';`,
    '',
    `const berth = new Berth({ baseUrl: ${toLiteral(toUrl(''))}, token: "an API token of yours" });`,
    `const { data } = await berth.tasks.run(${toLiteral(terminalId)}, ${toLiteral(name)}${last});`,
    'console.log(data);',
    '',
  ].join('\n');
};
