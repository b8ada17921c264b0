import {
  abilities,
  notificationTypes,
  payloadSchemas,
  stepCodes,
  taskCatalogue,
  taskMoves,
  TaskStatus,
  terminalMoves,
  TerminalStatus,
  type TObject,
} from '@berth/contract';
import { describe, expect, it } from 'vitest';
import { readText } from './repository.ts';

const page = readText('docs/http-api.md');
const toRows = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('|'));
const rows = toRows(page);
const [ofTerminals = '', ofTasks = ''] = page.split('\n## Tasks\n');
const findRow = (start: string, text = page): string => toRows(text).find((row) => row.startsWith(start)) ?? '';
const toNumbers = (cell: string | undefined): number[] => (cell?.match(/\d+/g) ?? []).map(Number).sort((a, b) => a - b);

describe('docs/http-api.md', () => {
  it.each(Object.values(taskCatalogue))('names $name with every field of its payload', (definition) => {
    const row = findRow(`| ${definition.type} ${definition.name} |`);
    const { properties, required }: TObject = payloadSchemas[definition.type];
    const documented = row.split('|')[2] ?? '';
    for (const field of Object.keys(properties)) {
      // What 7 shares with 6 is said once.
      const isShared = definition.name === 'SCREENSHOT_LATENCY' && documented.includes('as 6') && field !== 'samples';
      if (!isShared) expect(documented).toContain(`\`${field}\``);
    }
    for (const field of required ?? []) expect(documented).toContain(`\`${field}\` r`);
    expect(row.split('|').at(-2)?.trim()).toBe(definition.isRepeatable ? 'yes' : 'no');
  });

  it('shows the moves of a task as the machine has them', () => {
    for (const [name, status] of Object.entries(TaskStatus)) {
      const next = taskMoves.filter(([from]) => from === status).map(([, to]) => to);
      expect([name, toNumbers(findRow(`| ${status} | ${name} |`, ofTasks).split('|').at(-2))]).toEqual([
        name,
        next.sort((a, b) => a - b),
      ]);
    }
  });

  it('shows the moves of a terminal as the machine has them', () => {
    for (const [name, status] of Object.entries(TerminalStatus)) {
      const cell = findRow(`| ${status} | ${name} |`, ofTerminals).split('|').at(-2);
      // Out of UNREACHABLE leads whatever the host reports.
      const next = status === TerminalStatus.UNREACHABLE ? [8] : [...terminalMoves[status]];
      expect([name, toNumbers(cell)]).toEqual([name, next]);
    }
  });

  it('explains every step code, ability and notification', () => {
    for (const code of stepCodes)
      expect(
        rows.some((row) => row.includes(`\`${code}\``)),
        code,
      ).toBe(true);
    for (const ability of abilities) expect(findRow(`| \`${ability}\` |`), ability).not.toBe('');
    for (const type of notificationTypes) expect(page).toContain(type);
  });
});
