/** Parts that float over the foot of the page say how high they are, so that no one of them covers another. */
import { useCallback, type RefCallback } from 'react';

const GAP_PX = 8;

/** Keeps the height of an element, and a gap, as a property of the styles while it is there. */
export const useRoom = (property: '--dock' | '--toasts'): RefCallback<HTMLElement> =>
  useCallback(
    (element: HTMLElement | null) => {
      if (element === null) return;
      const { style } = document.documentElement;
      const observer = new ResizeObserver(() => {
        const height = element.offsetHeight;
        style.setProperty(property, `${height === 0 ? 0 : height + GAP_PX}px`);
      });
      observer.observe(element);
      return () => {
        observer.disconnect();
        style.removeProperty(property);
      };
    },
    [property],
  );
