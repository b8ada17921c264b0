/** What an answer carries beside what its handler gave: the code of a refusal, and query parameters that were ignored. */
import { cutText, type RouteContract } from '@berth/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';

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
