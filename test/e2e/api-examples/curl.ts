/** Requests of the client carried out by `curl`: the command is made as a reader would type it, and then really typed. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export interface SentRequest {
  method: string;
  /** Path and query. */
  path: string;
  /** The command, with variables for the address, the token and the ids. */
  curl: string;
  body?: unknown;
  /** What was answered; of bytes and events the head, and what came. */
  answer: { status: number; type: string; headers: Record<string, string>; text: string };
}

/** Where a download goes, by the end of its path. */
const DOWNLOADS: Record<string, string> = {
  content: 'Trend.ex5.copy',
  screenshot: 'terminal.png',
  evidence: 'breach.jsonl',
};
const MAX_COLUMNS = 100;

/** A number may stand anywhere by chance; only longer values are looked for inside of texts. */
const MIN_LENGTH = 8;

/** Values become variables; `open` and `close` lead out of quotes and back into them. */
const insertVariables = (text: string, variables: Record<string, string>, open = '', close = ''): string =>
  Object.entries(variables)
    .filter(([, value]) => value.length >= MIN_LENGTH)
    .reduce((result, [name, value]) => result.replaceAll(value, `${open}$${name}${close}`), text);

const toAddress = ({ pathname, search }: URL, variables: Record<string, string>): string => {
  const names = new Map(Object.entries(variables).map(([name, value]) => [value, name]));
  const path = pathname.split('/').map((part) => (names.has(part) ? `$${names.get(part)}` : part));
  return path.join('/') + insertVariables(decodeURIComponent(search), variables);
};

const toLines = (json: string): string => JSON.stringify(JSON.parse(json), null, 2);

const toBodyParts = (
  body: string | Uint8Array | undefined,
  variables: Record<string, string>,
  query: string,
): string[] => {
  if (body === undefined) return [];
  if (typeof body !== 'string') {
    const name = new URLSearchParams(query).get('name');
    return ["-H 'Content-Type: application/octet-stream'", `--data-binary @${name}`];
  }
  const text = insertVariables(body, variables, `'"`, `"'`);
  // JSON may span several lines, even inside a shell's quotes.
  const readable = text.length <= MAX_COLUMNS ? text : insertVariables(toLines(body), variables, `'"`, `"'`);
  return ["-H 'Content-Type: application/json'", `-d '${readable}'`];
};

export interface CurlRequest {
  method: string;
  url: URL;
  hasToken: boolean;
  body: string | Uint8Array | undefined;
}

/** The command: one line, or one line for each part where it would be too long. */
export const toCommand = ({ method, url, hasToken, body }: CurlRequest, variables: Record<string, string>): string => {
  const address = `"$BERTH${toAddress(url, variables)}"`;
  const implied = method === 'GET' || (method === 'POST' && body !== undefined);
  const download = method === 'GET' ? DOWNLOADS[url.pathname.split('/').at(-1) ?? ''] : undefined;
  const parts = [
    `curl -s${url.pathname.endsWith('/events') ? 'N' : ''}${implied ? '' : ` -X ${method}`} ${address}`,
    ...(hasToken ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...toBodyParts(body, variables, url.search),
    ...(download === undefined ? [] : [`-o ${download}`]),
  ];
  const line = parts.join(' ');
  return line.length <= MAX_COLUMNS ? line : parts.join(' \\\n  ');
};

/** The head of an answer; one of `100 Continue` before it does not count. */
const readHead = (text: string): { status: number; headers: Record<string, string> } => {
  const head =
    text
      .trim()
      .split(/\r?\n\r?\n/)
      .at(-1) ?? '';
  const [first = '', ...lines] = head.split(/\r?\n/);
  const headers = lines.map((line) => [
    line.slice(0, line.indexOf(':')).toLowerCase(),
    line.slice(line.indexOf(':') + 1).trim(),
  ]);
  return { status: Number(first.split(' ')[1]), headers: Object.fromEntries(headers) as Record<string, string> };
};

const HEAD = 'head.txt';

/**
 * Types a command, in a folder.
 * @returns what the client takes for the answer of `fetch`
 */
export const runCommand = (
  command: string,
  folder: string,
  environment: Record<string, string>,
  onText: (text: string) => void,
): Promise<Response> => {
  rmSync(join(folder, HEAD), { force: true });
  // The command stays as it is typed; what is added notes the head of the answer.
  const script = `curl() { command curl -D ${HEAD} "$@"; }\n${command}`;
  const env = { PATH: process.env.PATH, ...environment };
  const child = spawn('sh', ['-c', script], { cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  const stop = () => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };
  const toResponse = (body: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>): Response => {
    const { status, headers } = readHead(readFileSync(join(folder, HEAD), 'utf8'));
    return new Response(body, { status, headers });
  };
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    if (command.startsWith('curl -sN')) {
      child.stdout.once('data', (first: Buffer) => {
        const stream = new ReadableStream<Uint8Array>({
          start: (controller) => {
            const take = (bytes: Buffer) => {
              onText(bytes.toString());
              controller.enqueue(bytes);
            };
            take(first);
            child.stdout.on('data', take);
          },
          // What is still on its way comes too late for a reader who has gone.
          cancel: () => {
            child.stdout.removeAllListeners('data').resume();
            stop();
          },
        });
        resolve(toResponse(stream));
      });
      return;
    }
    const chunks: Buffer[] = [];
    child.stdout.on('data', (bytes: Buffer) => chunks.push(bytes));
    child.on('close', (code) => {
      if (code !== 0) return reject(new Error(`${command} ended with ${code}`));
      const [, file] = / -o (\S+)$/.exec(command.replaceAll('\\\n  ', '')) ?? [];
      const isFile = file !== undefined && existsSync(join(folder, file));
      const bytes = isFile ? readFileSync(join(folder, file)) : Buffer.concat(chunks);
      onText(isFile ? '' : bytes.toString());
      resolve(toResponse(new Uint8Array(bytes)));
    });
  });
};
