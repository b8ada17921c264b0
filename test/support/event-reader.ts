/** A reader of live events like a browser's EventSource. It collects events, and notes the end. */
export interface LiveEvent {
  event: string;
  /** Where the frame has one. */
  id?: string;
  data: Record<string, unknown>;
}

export class EventReader {
  readonly status: number;
  readonly headers: Headers;
  readonly events: LiveEvent[] = [];
  /** Resolves when the server ended the answer. */
  readonly ended: Promise<void>;
  readonly #abort: AbortController;

  private constructor(response: Response, abort: AbortController) {
    this.status = response.status;
    this.headers = response.headers;
    this.#abort = abort;
    this.ended = this.#read(response);
  }

  /** @param url of the server @param lastEventId the id of the last log entry that was received before */
  static async open(url: string, token: string, lastEventId?: string | number): Promise<EventReader> {
    const abort = new AbortController();
    const last = lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) };
    const headers = { accept: 'text/event-stream', authorization: `Bearer ${token}`, ...last };
    return new EventReader(await fetch(`${url}/v1/my/events`, { headers, signal: abort.signal }), abort);
  }

  /** The data of the events of a kind, in order of arrival. */
  dataOf(event: string): Record<string, unknown>[] {
    return this.events.filter((one) => one.event === event).map(({ data }) => data);
  }

  close(): void {
    this.#abort.abort();
  }

  async #read(response: Response): Promise<void> {
    let text = '';
    try {
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
        text += chunk;
        const blocks = text.split('\n\n');
        text = blocks.pop()!;
        for (const block of blocks) this.#take(block);
      }
    } catch {
      // Closed by this reader, or the connection broke.
    }
  }

  #take(block: string): void {
    const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]));
    const event = fields.get('event');
    if (event === undefined) return;
    const id = fields.get('id');
    this.events.push({
      event,
      ...(id === undefined ? {} : { id }),
      data: JSON.parse(fields.get('data') ?? '') as Record<string, unknown>,
    });
  }
}
