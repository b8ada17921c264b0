/** The colour tokens for drawing on a canvas: read again when the theme changes. */
import { useSyncExternalStore } from 'react';

export interface Look {
  info: string;
  area: string;
  line: string;
  ink3: string;
  font: string;
}

const read = (): Look => {
  const style = getComputedStyle(document.documentElement);
  const get = (name: string): string => style.getPropertyValue(name).trim();
  const info = get('--info');
  return { info, area: `${info}24`, line: get('--line'), ink3: get('--ink-3'), font: get('--font-figures') };
};

let look: Look | undefined;

const watch = (listener: () => void): (() => void) => {
  const observer = new MutationObserver(() => {
    look = undefined;
    listener();
  });
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
};

export const useLook = (): Look => useSyncExternalStore(watch, () => (look ??= read()));
