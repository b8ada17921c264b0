/** One answer that does not end: server-sent events, as defined by the HTML standard. */
import type { OutgoingHttpHeader, ServerResponse } from 'node:http';
import type { Watcher } from '../../../events/live-events.ts';
import type { UserEvent } from '@berth/contract';
import { onAnswerEnd } from '../../http/answer-end.ts';

/** A reader that is this far behind is disconnected; it reconnects and reloads its lists. */
const MAX_BEHIND_BYTES = 1024 * 1024;
/** How long a reader waits before it reconnects. */
const RETRY_MS = 2_000;

export class EventStream implements Watcher {
  readonly owner: Watcher['owner'];
  readonly closed: AbortSignal;
  readonly lastEventId: string | undefined;
  readonly #response: ServerResponse;
  #isOpen = false;
  #isReady = false;

  constructor(owner: Watcher['owner'], response: ServerResponse, lastEventId?: string) {
    this.owner = owner;
    this.lastEventId = lastEventId;
    this.#response = response;
    const closing = new AbortController();
    this.closed = closing.signal;
    onAnswerEnd(response, () => closing.abort());
  }

  /** Sends the headers, and a comment, so that the reader and every proxy see that the connection works. */
  open(headers: Record<string, OutgoingHttpHeader | undefined>): void {
    if (this.#response.destroyed) return;
    for (const [name, value] of Object.entries(headers)) {
      if (value !== undefined) this.#response.setHeader(name, value);
    }
    this.#response.writeHead(200);
    this.#isOpen = true;
    this.#write(`retry: ${RETRY_MS}\n: connected\n\n`);
  }

  /** Whoever comes back goes on from his own entry until he has received what he missed. */
  ready(start: number): void {
    this.#isReady = true;
    this.send('ready', {}, this.lastEventId === undefined ? start : undefined);
  }

  send(event: string, data: object, id?: number): void {
    const line = id === undefined ? '' : `id: ${id}\n`;
    if (this.#isReady) this.#write(`${line}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  sendEntry(entry: UserEvent): void {
    this.#write(`id: ${entry.id}\nevent: happened\ndata: ${JSON.stringify(entry)}\n\n`);
  }

  /** A comment that keeps the connection alive for proxies and the reader. */
  ping(): void {
    this.#write(': ping\n\n');
  }

  end(): void {
    if (this.#isOpen) this.#response.end();
  }

  #write(text: string): void {
    if (!this.#isOpen || this.#response.writableEnded || this.#response.destroyed) return;
    this.#response.write(text);
    if (this.#response.writableLength > MAX_BEHIND_BYTES) this.#response.destroy();
  }
}
