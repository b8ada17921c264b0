/** The form of answers, and what they carry beside what their handler gave. */
import { cutText, type RouteContract } from '@berth/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** `{ok, msg, data}`, the usual answer. */
export const toEnvelope = <Data>(msg: string, data: Data): { ok: true; msg: string; data: Data } => ({
  ok: true,
  msg,
  data,
});

/** The same with warnings, both at the end of `msg` and as a list. */
export const toWarningEnvelope = <Data>(msg: string, data: Data, warnings: readonly string[]) => ({
  ...toEnvelope([msg, ...warnings].join(' '), data),
  warnings: [...warnings],
});

/** The list of warnings is included only on request. */
export const showWarnings = <Answer extends object>(answer: Answer, include: 'warnings' | undefined): Answer => {
  if (include !== undefined || !('warnings' in answer)) return answer;
  const { warnings: _, ...rest } = answer;
  return rest as Answer;
};

/** HTTP 200 `{ok:false, msg}`: the request is valid, but the current state does not allow it. */
export const toRefusal = (msg: string): { ok: false; msg: string } => ({ ok: false, msg });

/** The same with its code in a header, for programs. */
export const refuse = (reply: FastifyReply, code: string, msg: string): { ok: false; msg: string } => {
  reply.header('x-error-code', code);
  return toRefusal(msg);
};

const MAX_IGNORED = 16;
const MAX_NAME = 64;

/** Not a stream, nor the reply of a handler that has answered by itself. */
const isPlain = (answer: unknown): answer is { ok?: boolean; code?: string } =>
  typeof answer === 'object' && answer !== null && Object.getPrototypeOf(answer) === Object.prototype;

/** The parameters that the route does not have: a typo would otherwise go unnoticed. */
const listIgnored = (query: unknown, known: ReadonlySet<string>): string[] => {
  const names = Object.keys(query as object).filter((name) => !known.has(name));
  return names.slice(0, MAX_IGNORED).map((name) => cutText(name.toWellFormed(), MAX_NAME));
};

const asIs = (text: unknown): string => text as string;

/** The code of a refusal, and query parameters that were ignored. */
export const createAdditions = ({ query }: Pick<RouteContract, 'query'>) => {
  const known = new Set(Object.keys(query?.properties ?? {}));
  return (request: FastifyRequest, reply: FastifyReply, answer: unknown): unknown => {
    if (!isPlain(answer)) return answer;
    const code = reply.getHeader('x-error-code');
    if (answer.ok === false && typeof code === 'string') answer.code = code;
    const ignored = listIgnored(request.query, known);
    if (ignored.length === 0) return answer;
    // Not by the route's schema, which would have to name it for every route.
    const text = reply.serialize(answer) as string;
    void reply.type('application/json; charset=utf-8').serializer(asIs);
    return `${text.slice(0, -1)},"ignored":${JSON.stringify(ignored)}}`;
  };
};
