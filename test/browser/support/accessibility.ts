/** What axe finds in a page as it stands. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Only what keeps somebody out; the rest of what axe says is advice. */
const RUN = `axe.run().then(({ violations }) => violations
  .filter(({ impact }) => impact === 'serious' || impact === 'critical')
  .flatMap(({ id, help, nodes }) => nodes.map(({ html }) => id + ': ' + help + ' ' + html.slice(0, 300))))`;

/** Until what opens or closes has come to rest: half transparent, its colours and those below it are not the page's. */
const REST = `new Promise((resolve) => {
  const look = () => {
    const moving = document.getAnimations().some((one) => Number.isFinite(one.effect.getComputedTiming().endTime));
    if (!moving && !document.querySelector('[data-starting-style], [data-ending-style]')) resolve();
    else requestAnimationFrame(look);
  };
  look();
})`;

/** @returns a line for each element with a serious or critical finding */
export const findBarriers = async (page: Page): Promise<string[]> => {
  // The debugger's way into the page: its policy, which allows no such script, stays in force.
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(source);
  await page.evaluate(REST);
  return page.evaluate<string[]>(RUN);
};
