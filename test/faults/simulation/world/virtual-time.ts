/** The one clock of a simulated world, and everything that is going to happen: a heap of events, earliest first. */
export interface Timer {
  /** Undefined once it was canceled. */
  run: (() => void) | undefined;
  atMs: number;
  readonly order: number;
  /** Whether it is part of the story; routine (ticks, polls) is not. */
  readonly isStep: boolean;
}

const isBefore = (a: Timer, b: Timer): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);

export class VirtualTime {
  /** Milliseconds since the world began. No clock step changes it. */
  nowMs = 0;
  /** How much of it was skipped. */
  skippedMs = 0;
  /** Sleeps and ticks may last this much longer than asked for, as on busy machines. */
  slackMs = 0;
  readonly #heap: Timer[] = [];
  #order = 0;

  after(ms: number, run: () => void, isStep = false): Timer {
    this.#order += 1;
    const timer: Timer = { run, atMs: this.nowMs + Math.max(0, ms), order: this.#order, isStep };
    this.#push(timer);
    return timer;
  }

  /** Time in which nothing at all happens: whatever was to come comes that much later. */
  skip(ms: number): void {
    this.nowMs += ms;
    this.skippedMs += ms;
    for (const timer of this.#heap) timer.atMs += ms;
  }

  /** Takes the next event that was not canceled and moves the clock to it. */
  next(): Timer | undefined {
    for (let timer = this.#pop(); timer; timer = this.#pop()) {
      if (!timer.run) continue;
      this.nowMs = timer.atMs;
      return timer;
    }
    return undefined;
  }

  #push(timer: Timer): void {
    const heap = this.#heap;
    let place = heap.length;
    heap.push(timer);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!isBefore(timer, heap[parent]!)) break;
      heap[place] = heap[parent]!;
      place = parent;
    }
    heap[place] = timer;
  }

  #pop(): Timer | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last || heap.length === 0) return first;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = last;
    return first;
  }
}
