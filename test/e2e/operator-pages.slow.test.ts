// @module-tag curl
/** The pages for operators that back up, restore and upgrade, typed as they stand there: on a fresh instance, and once more. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { listOf, OperatorVisit, TIMEOUT_MS, visits } from './operator-visit.ts';

let visit: OperatorVisit;
beforeAll(async () => void (visit = await OperatorVisit.open()), TIMEOUT_MS);
afterEach(() => visit.tidyUp());
afterAll(() => visit?.close(), TIMEOUT_MS);

describe('docs/guides/backup-drill.md', { timeout: TIMEOUT_MS }, () => {
  it.each(visits)(
    'docs/guides/backup-drill.md leads to a copy that has the hosts and the accounts of the original %s',
    () => visit.drill(),
  );
});

describe('docs/operating.md', { timeout: TIMEOUT_MS }, () => {
  const [backup, start, broker] = listOf('docs/operating.md');

  it.each(visits)('docs/operating.md leads from a backup to a server on a new data directory %s', async () => {
    visit.empty('backups');
    const { user } = await visit.stack.register('Ada');
    await visit.shell.type(backup!);
    await visit.withoutOriginal(async () => {
      await visit.expectCopy(await visit.shell.begin(start!), user.email);
      await visit.shell.pressCtrlC();
    });
  });

  it.each(visits)('docs/operating.md starts a broker %s', async () => {
    visit.empty('broker');
    await visit.shell.begin(broker!);
    await visit.shell.pressCtrlC();
  });
});

describe('docs/guides/upgrade.md', { timeout: TIMEOUT_MS }, () => {
  const [backup, start, ask] = listOf('docs/guides/upgrade.md');

  it.each(visits)('docs/guides/upgrade.md leads to a server that is ready %s', async () => {
    visit.empty('backups');
    await visit.shell.type(backup!);
    await visit.withoutOriginal(async () => {
      const server = await visit.shell.begin(start!);
      const [, url = ''] = await server.waitForLine(/Berth is ready at (http\S+)/);
      visit.shell.places['http://127.0.0.1:4000'] = url;
      expect(JSON.parse(await visit.shell.type(ask!))).toMatchObject({ ok: true });
      await visit.shell.pressCtrlC();
    });
  });
});
