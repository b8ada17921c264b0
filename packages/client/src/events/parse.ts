/** Server-sent events, as the HTML standard writes them, from the bytes of a response. */
import { UnexpectedAnswerError } from '../errors.ts';
import type { LiveEvent } from '../types.ts';

/** Longest event that is taken: those of Berth have some hundred characters. */
const MAX_EVENT_CHARS = 64 * 1024;

/** An event, and the entry of the log from which a reader who received it goes on. */
export interface EventFrame {
  event: LiveEvent;
  id: string | undefined;
}

const refuse = (what: string): never => {
  throw new UnexpectedAnswerError(`An event is ${what}.`, 200);
};

const toFrame = (block: string): EventFrame | undefined => {
  const fields: Record<string, string | undefined> = {};
  for (const line of block.split(/\r\n|\r|\n/)) {
    const [, name, value = ''] = /^([^:]+)(?:: ?(.*))?$/.exec(line) ?? [];
    if (name) fields[name] = name === 'data' && fields.data ? `${fields.data}\n${value}` : value;
  }
  const { event, data, id } = fields;
  if (!event || data === undefined) return undefined;
  try {
    return { event: { event, data: JSON.parse(data) as unknown } as LiveEvent, id };
  } catch {
    return refuse('not JSON');
  }
};

/** Takes text in pieces and gives the events that are complete. What it keeps in between is bounded. */
export class EventParser {
  #rest = '';
  readonly #decoder = new TextDecoder();

  /** @throws UnexpectedAnswerError for what is no event of Berth */
  take(bytes: Uint8Array): EventFrame[] {
    const blocks = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split(/\r\n\r\n|\n\n|\r\r/);
    this.#rest = blocks.pop() ?? '';
    if (this.#rest.length > MAX_EVENT_CHARS) refuse('too long');
    return blocks.flatMap((block) => toFrame(block) ?? []);
  }
}
