// @module-tag curl
/**
 * The commands of the guides for users, typed as they stand there: blocks that are marked `<!-- run: guide -->`. They follow
 * those of the quickstart, in the same shell: on a fresh instance, and once more by somebody who comes back.
 */
import { TerminalStatus } from '@berth/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listPagesToFollow, readRun, type PageBlock } from '../house/page-blocks.ts';
import { expectWell, listRun, openPageVisit, quickstart, TIMEOUT_MS, visits, type PageVisit } from './page-visit.ts';

/** How long a command that keeps running may take to print the expected text. */
const UNTIL_SECONDS = 60;

const cleaning = quickstart.at(-1) ?? '';
const guides = listPagesToFollow()
  .map((page) => ({ page, blocks: listRun(page, 'guide') }))
  .filter(({ blocks }) => blocks.length > 0);

/** A command that keeps running is read until it has printed the expected text, as a person presses Ctrl+C. */
const toCommand = (block: PageBlock): string => {
  const until = readRun(block)?.until;
  if (until === undefined) return block.text;
  return [
    // What an earlier command printed is gone before this one is looked at.
    ': > said',
    `timeout ${UNTIL_SECONDS} sh -c '${block.text.trim()}' > said & GOING=$!`,
    `until grep -m 1 '${until}' said || ! kill -0 $GOING 2> /dev/null; do sleep 0.05; done`,
    `grep -q '${until}' said || echo '"errors":'`,
    // At once: who only stops to read is noticed when more is said.
    '{ kill $GOING; wait $GOING; } 2> /dev/null || :',
    '',
  ].join('\n');
};

/** Waits until the tasks of the account are done, and says which of them failed. Planned ones wait for their time. */
const SETTLE = `(async () => {
  const read = async (path) => (await (await fetch(process.env.BERTH + path, { headers: { authorization: 'Bearer ' + process.env.TOKEN } })).json()).data;
  for (;;) {
    const open = (await read('/v1/my/tasks?status=0,1,2,3')).filter(({ planned_at: plannedAt }) => plannedAt === null);
    const away = (await read('/v1/my/trading/terminals')).filter(({ status }) => status !== ${TerminalStatus.ACTIVE});
    if (open.length + away.length === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  for (const task of await read('/v1/my/tasks?status=5,7')) console.error(JSON.stringify(task));
})()`;
const settle = 'TOKEN=$TOKEN node -e "$SETTLE"\n';

let visit: PageVisit;
beforeAll(async () => void (visit = await openPageVisit()), TIMEOUT_MS);
afterAll(() => visit?.close(), TIMEOUT_MS);

describe('the commands of the guides', { timeout: TIMEOUT_MS }, () => {
  it('the commands of the guides are there', () => expect(guides.length).toBeGreaterThan(3));

  it.each(guides.flatMap((guide) => visits.map((when) => ({ ...guide, when }))))(
    '$page are answered well $when',
    ({ blocks }) => {
      const before = [...quickstart.slice(0, -1), 'TASK=$INSTALLED; export TOKEN BERTH; echo; echo BEGINS', settle];
      const steps = blocks.flatMap((block) => [toCommand(block), settle]);
      const done = visit.type([...before, ...steps, cleaning].join('\n'), { SETTLE });
      expectWell(done);
      const answers = done.stdout.slice(done.stdout.indexOf('BEGINS')).match(/"ok":true|^event: /gm);
      expect(answers?.length).toBeGreaterThan(blocks.length);
    },
  );
});
