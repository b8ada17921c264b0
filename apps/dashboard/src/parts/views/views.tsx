import { Suspense } from 'react';
import { later } from '../later.tsx';
import type { ListView } from './views-data.ts';

const ViewsMenu = later(async () => (await import('./views-menu.tsx')).ViewsMenu);

/** The saved views of a list; the list does not wait for them. */
export const Views = (list: ListView) => (
  <Suspense fallback={null}>
    <ViewsMenu list={list} />
  </Suspense>
);
