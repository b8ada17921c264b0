/** What proxies, portals, caches and wrong addresses say in a server's place. None of it means anything. */
import type { HttpAnswer } from '@berth/testing/simulation';
import type { Random } from '../random.ts';

export const toJsonAnswer = (status: number, body: object, headers: HttpAnswer['headers'] = {}): HttpAnswer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: Buffer.from(JSON.stringify(body)),
});

const toPage = (status: number, headers: HttpAnswer['headers'] = {}): HttpAnswer => ({
  status,
  headers: { 'content-type': 'text/html', ...headers },
  body: Buffer.from(`<!doctype html><title>${status}</title><p>Please sign in.`),
});

/** The shapes of all calls at once, empty. */
const nothing = { terminals: [], tasks: [], revoked: [], resync: false, verdicts: [] };

const toVerdicts = (events: number): string[] => Array.from({ length: events }, () => 'accepted');

/** By how many events were reported. */
const answers: Record<string, (events: number) => HttpAnswer> = {
  'a bare 404': () => ({ status: 404, headers: {}, body: Buffer.alloc(0) }),
  '401 of a proxy': () => toPage(401),
  '403 of a firewall': () => toPage(403),
  '413 of a proxy': () => toPage(413),
  '500 of a proxy': () => toPage(500),
  '502 of a proxy': () => toPage(502),
  'a redirection': () => toPage(302, { location: 'https://portal.example/' }),
  'a page with 200': () => toPage(200),
  'nothing, with 204': () => ({ status: 204, headers: {}, body: Buffer.alloc(0) }),
  'nothing, with 200': () => ({ status: 200, headers: {}, body: Buffer.alloc(0) }),
  'JSON of another service': () => toJsonAnswer(200, { status: 'ok' }),
  'a list': () => toJsonAnswer(200, []),
  'a refusal of another service': () => toJsonAnswer(404, { msg: 'not found' }, { 'x-error-code': 'NoSuchKey' }),
  'a code of ours with another status': () => toJsonAnswer(400, {}, { 'x-error-code': 'unauthenticated' }),
  'empty lists': () => toJsonAnswer(200, nothing),
  'an answer to another host': (events) =>
    toJsonAnswer(200, {
      ...nothing,
      verdicts: toVerdicts(events),
      session_id: '00000000-0000-4000-8009-000000000000',
    }),
};

const kinds = Object.keys(answers);

/** @param events how many were reported */
export const toForeignAnswer = (random: Random, events: number): { what: string; given: HttpAnswer } => {
  const what = random.pick(kinds);
  return { what, given: answers[what]!(events) };
};
