/**
 * Reads a log repeatedly. Each read is a task, so it is infrequent, only while somebody looks at the end of the log,
 * and it stops by itself: at most 90 tasks each time it is turned on.
 */
import { useEffect, useEffectEvent, useState } from 'react';

const EVERY_MS = 10_000;
const MAX_READINGS = 90;

export const useFollow = (read: () => void, isAtEnd: boolean) => {
  const [left, setLeft] = useState(0);
  const isOn = left > 0;
  const next = useEffectEvent(() => {
    if (!isAtEnd || document.visibilityState === 'hidden') return;
    setLeft((count) => count - 1);
    read();
  });
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(next, EVERY_MS);
    return () => clearInterval(timer);
  }, [isOn]);
  const toggle = (): void => {
    setLeft(isOn ? 0 : MAX_READINGS);
    if (!isOn) read();
  };
  return { isOn, toggle };
};
