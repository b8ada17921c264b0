/**
 * The URL while nobody is signed in, below the path of the dashboard. Signing in needs five addresses and no router,
 * which is a fifth of all code: it is loaded together with the first page that requires somebody signed in.
 */
import { useSyncExternalStore } from 'react';
import { basePath } from './address.ts';

export const outsidePaths = [
  '/sign-in',
  '/sign-in-link',
  '/set-password',
  '/accept-invitation',
  '/create-account',
  '/forgot-password',
] as const;

export type OutsidePath = (typeof outsidePaths)[number];

/** A page for which nobody has to be signed in. */
export const isOutside = (path: string): path is OutsidePath => outsidePaths.some((outside) => outside === path);

const listeners = new Set<() => void>();

const watch = (listener: () => void): (() => void) => {
  listeners.add(listener);
  addEventListener('popstate', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('popstate', listener);
  };
};

/** The path: '/sign-in'. */
export const getPath = (): string => location.pathname.slice(basePath.length) || '/';

/** The path with its query: '/terminals?search=gold'. */
export const getPlace = (): string => getPath() + location.search;

export const usePath = (): string => useSyncExternalStore(watch, getPath);

/** Shows another page of the dashboard: '/sign-in?why=expired'. */
export const goTo = (place: string, { replaces = false } = {}): void => {
  history[replaces ? 'replaceState' : 'pushState'](null, '', basePath + place);
  for (const listener of listeners) listener();
};

/** The sign-in page, and after signing in back to the place; the list of terminals is where everybody begins. */
export const toSignInPlace = (back: string, why?: string): string => {
  const isHome = /^\/(terminals)?$/.test(back);
  const query = new URLSearchParams({ ...(why === undefined ? {} : { why }), ...(isHome ? {} : { back }) });
  return `/sign-in${query.size === 0 ? '' : `?${query}`}`;
};
