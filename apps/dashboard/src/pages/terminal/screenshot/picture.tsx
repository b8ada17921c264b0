import type { Terminal } from '@berth/client';
import { Figures } from '../figures/figures.tsx';
import { Hero } from './hero.tsx';

/** The last screenshot at its size, and how the terminal was connected, as charts. */
export const Picture = ({ terminal }: { terminal: Terminal }) => (
  <div className="hero-grid">
    <Hero terminal={terminal} />
    <Figures terminal={terminal} />
  </div>
);
