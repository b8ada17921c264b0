/** Short messages to the person: the result of a change. Limited, because a burst of failures is one message. */

export interface Notice {
  id: number;
  kind: 'done' | 'failed' | 'warning' | 'news';
  text: string;
  requestId: string | undefined;
  /** The subject: only the latest notice about it is shown. */
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

/** Shows a sentence; it replaces an earlier one with the same text, or about the same subject. */
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
