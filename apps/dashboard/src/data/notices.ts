/** What is told to the person in passing: what came of a change. Bounded, because a burst of failures is one message. */

export interface Notice {
  id: number;
  kind: 'done' | 'failed' | 'news';
  text: string;
  requestId: string | undefined;
}

const MAX_NOTICES = 4;

let notices: readonly Notice[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

const set = (next: readonly Notice[]): void => {
  notices = next;
  for (const listener of listeners) listener();
};

/** Shows a sentence; one with the same words takes the place of its earlier self. */
export const tell = ({ kind, text, requestId }: Omit<Notice, 'id' | 'requestId'> & Partial<Notice>): void => {
  lastId += 1;
  const others = notices.filter((notice) => notice.text !== text);
  set([...others, { id: lastId, kind, text, requestId }].slice(-MAX_NOTICES));
};

export const dismiss = (id: number): void => set(notices.filter((notice) => notice.id !== id));

export const getNotices = (): readonly Notice[] => notices;

export const watchNotices = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
