/** Short messages to the person: the result of a change. Bounded, because a burst of failures is one message. */

export interface Notice {
  id: number;
  kind: 'done' | 'failed' | 'warning' | 'news';
  text: string;
  requestId: string | undefined;
  /** What it is about: of one thing only the last notice is shown. */
  about?: string | undefined;
}

const MAX_NOTICES = 4;

let notices: readonly Notice[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

const set = (next: readonly Notice[]): void => {
  notices = next;
  for (const listener of listeners) listener();
};

/** Shows a sentence; it takes the place of an earlier one with the same words, or about the same thing. */
export const notify = ({ kind, text, requestId, about }: Omit<Notice, 'id' | 'requestId'> & Partial<Notice>): void => {
  lastId += 1;
  const others = notices.filter((notice) => notice.text !== text && (about === undefined || notice.about !== about));
  set([...others, { id: lastId, kind, text, requestId, about }].slice(-MAX_NOTICES));
};

export const dismiss = (id: number): void => set(notices.filter((notice) => notice.id !== id));

export const getNotices = (): readonly Notice[] => notices;

export const watchNotices = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
