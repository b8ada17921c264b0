import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Ini } from '../src/files/ini.ts';
import { writeLines } from '../src/files/text-file.ts';

test('no settings, chart, preset or order file is written with a text that brings lines of its own', () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-text-'));
  try {
    for (const text of ['a\nb', 'a\r', '\n[StartUp]']) {
      const path = join(folder, 'file');
      expect(() => new Ini('').set('Common', 'Login', text)).toThrow(/end of a line/);
      expect(() => new Ini('').set(text, 'Login', '1')).toThrow(/end of a line/);
      expect(() => writeLines(path, ['first', text], 'utf-16le')).toThrow(/end of a line/);
      expect(existsSync(path)).toBe(false);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
