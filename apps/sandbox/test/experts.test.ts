import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { parseChart, type Chart } from '../src/terminal/charts/chart.ts';
import { Experts } from '../src/terminal/charts/experts.ts';
import { MarketWatch } from '../src/terminal/charts/market-watch.ts';
import { Journal } from '../src/terminal/journal.ts';
import { mt5 } from '../src/terminal/platform/mt5.ts';
import { readExpertsJournal, toChartText } from './sandbox.ts';

const root = mkdtempSync(join(tmpdir(), 'bs-'));
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('an expert prints one line for each new bar of its own period', () => {
  mkdirSync(join(root, 'MQL5/Experts'), { recursive: true });
  writeFileSync(join(root, 'MQL5/Experts/Rider.ex5'), 'EX5');
  const terms = { root, encoding: 'utf-16le', toText: mt5.toJournalText, flushMs: 0 } as const;
  const journal = new Journal({ ...terms, folder: 'logs' });
  const expertsJournal = new Journal({ ...terms, folder: 'MQL5/Logs' });
  const marketWatch = new MarketWatch(root, mt5);
  const experts = new Experts({ root, platform: mt5, journal, expertsJournal, marketWatch, symbolTimeoutMs: 1000 });
  const chart = parseChart(mt5, 'chart01.chr', toChartText('EURUSD', 'Rider')) as Chart;

  experts.load(chart);
  marketWatch.open('S', '1', [['EURUSD', 5, 'Euro']]);
  marketWatch.takeTicks([['EURUSD', 1.25, 1.2501]]);
  experts.startAll();
  const opening = Date.UTC(2026, 2, 4, 10, 15) / 1000;
  for (const seconds of [opening - 1, opening, opening + 1, opening + 899, opening + 900]) experts.takeTime(seconds);
  experts.removeAll();
  journal.close();
  expertsJournal.close();

  const bars = readExpertsJournal(root).filter((line) => line.includes('new bar'));
  expect(bars.map((line) => line.split('\t').slice(3).join(' | '))).toEqual([
    'Rider (EURUSD,M15) | new bar 2026.03.04 10:15, bid 1.25000',
    'Rider (EURUSD,M15) | new bar 2026.03.04 10:30, bid 1.25000',
  ]);
});
