/** Light, dark, or the system's theme. `theme-at-start.js` sets it before the first paint; this keeps it up to date. */
import { useSyncExternalStore } from 'react';

export type ThemeChoice = 'light' | 'dark' | 'system';

/** The name that `theme-at-start.js` reads. */
const STORED = 'berth-theme';

const listeners = new Set<() => void>();
const prefersLight = matchMedia('(prefers-color-scheme: light)');

const readStored = (): ThemeChoice => {
  try {
    const stored = localStorage.getItem(STORED);
    return stored === 'light' || stored === 'dark' ? stored : 'system';
  } catch {
    return 'system';
  }
};

let choice = readStored();

const apply = (): void => {
  const isLight = choice === 'light' || (choice === 'system' && prefersLight.matches);
  document.documentElement.dataset.theme = isLight ? 'light' : 'dark';
  for (const listener of listeners) listener();
};

prefersLight.addEventListener('change', apply);
addEventListener('storage', ({ key }) => {
  if (key !== STORED && key !== null) return;
  choice = readStored();
  apply();
});

export const setTheme = (next: ThemeChoice): void => {
  choice = next;
  try {
    if (next === 'system') localStorage.removeItem(STORED);
    else localStorage.setItem(STORED, next);
  } catch {
    // Where storage is not allowed, the choice lasts as long as the page.
  }
  apply();
};

const watch = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useTheme = (): ThemeChoice => useSyncExternalStore(watch, () => choice);
