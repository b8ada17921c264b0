/** Statuses and types are said by name outside of the contract: a bare number tells no reader what it means, and no search finds it. */
import { describe, expect, it } from 'vitest';
import { listTrackedFiles, readText } from './repository.ts';

/** One or two digits: answers of HTTP have three. */
const NUMBER = String.raw`\d{1,2}(?![\d_.])`;

const rules: readonly RegExp[] = [
  new RegExp(String.raw`\b\w*[sS]tatus\s+(?:=|<>|!=|>=|<=|>|<|===|!==)\s+${NUMBER}`),
  /\bstatus\s+(?:not\s+)?in\s*\(\s*\d/,
  /\bstatus\s+between\s+\d/,
  /\btype\s+(?:=|<>|===|!==)\s+\d/,
  /\btype\s+(?:not\s+)?in\s*\(\s*\d/,
  new RegExp(String.raw`\b(?:status|type): ${NUMBER}`),
  /\bTask(?:Handler|Run)<\d/,
];

/** What is called the same and is something else: how a process ended, a chart's period, a type that does not exist. */
const isOther = (line: string): boolean => /\bspawnSync\(|\bstd(?:out|err)\b|\bsize: |\btype: 99\b/.test(line);

// Migrations are frozen, and no TypeScript.
const files = listTrackedFiles().filter(
  (path) => /^(apps|packages|test|bench)\/.+\.ts$/.test(path) && !path.startsWith('packages/contract/'),
);

describe('bare numbers of statuses and types', () => {
  it('stand nowhere but in the contract', () => {
    const found = files.flatMap((path) =>
      readText(path)
        .split('\n')
        .flatMap((line, index) =>
          !isOther(line) && rules.some((rule) => rule.test(line)) ? [`${path}:${index + 1}: ${line.trim()}`] : [],
        ),
    );
    expect(found).toEqual([]);
  });

  it('are recognised', () => {
    const number = 6;
    const bad = [
      `where t.status = ${number}`,
      `status in (${number}, 1)`,
      `task.status !== ${number}`,
      `{ type: ${number} }`,
      `TaskHandler<${number}>`,
    ];
    for (const line of bad)
      expect(
        rules.some((rule) => rule.test(line)),
        line,
      ).toBe(true);
    const good = ['answer.status === 404', 'status: 200', '?status=3', 'status = $1', 'status = ${TaskStatus.QUEUED}'];
    for (const line of good)
      expect(
        rules.some((rule) => rule.test(line)),
        line,
      ).toBe(false);
  });
});
