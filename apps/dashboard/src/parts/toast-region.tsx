import { X } from 'lucide-react';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { dismiss, getNotices, watchNotices, type Notice } from '../data/notices.ts';
import { texts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { useRoom } from './room.ts';
import type { Tone } from './status-mark.tsx';

/** A success disappears; a failure or a warning stays until it is dismissed. */
const STAY_MS = 6_000;
const tones: Record<Notice['kind'], Tone> = { done: 'good', failed: 'bad', warning: 'cut', news: 'rest' };

const Toast = ({ notice: { id, kind, text, requestId } }: { notice: Notice }) => {
  const [isRead, setRead] = useState(false);
  const isLasting = kind === 'failed' || kind === 'warning';
  useEffect(() => {
    if (isLasting || isRead) return;
    const timer = setTimeout(() => dismiss(id), STAY_MS);
    return () => clearTimeout(timer);
  }, [id, isLasting, isRead]);
  return (
    <div
      className="toast"
      data-tone={tones[kind]}
      role={isLasting ? 'alert' : 'status'}
      onPointerEnter={() => setRead(true)}
      onPointerLeave={() => setRead(false)}
      onFocus={() => setRead(true)}
      onBlur={() => setRead(false)}
    >
      <p>
        {text}
        {requestId === undefined ? null : <small>{texts.requestId(requestId)}</small>}
      </p>
      <Button kind="bare" icon={<X />} aria-label={texts.dismiss} onClick={() => dismiss(id)} />
    </div>
  );
};

/** Shows the results of changes. */
export const ToastRegion = () => {
  const notices = useSyncExternalStore(watchNotices, getNotices);
  return (
    <section className="toasts" aria-label={texts.notices} ref={useRoom('--toasts')}>
      {notices.map((notice) => (
        <Toast key={notice.id} notice={notice} />
      ))}
    </section>
  );
};
