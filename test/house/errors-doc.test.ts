import { errorTable } from '@berth/contract';
import { expect, test } from 'vitest';

const row = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`;

const toPage = (): string =>
  [
    '# Errors',
    '',
    'A request that breaks a rule is answered with HTTP 422 and `{message, errors}`: `message` is the first text, `errors`',
    'maps each field to its texts, and the header `X-Error-Code` is `validation`. Nothing was changed then.',
    '',
    'Every other error is `{ok: false, msg, data: null}`. The header `X-Error-Code` holds its code, which is stable: act on',
    'it, not on the text. The header `X-Error-Hint` says what to do. Every answer carries `X-Request-Id`; the log holds the',
    'details under it.',
    '',
    'A request that is right but not possible now, such as a task that the state of its terminal forbids, is answered with',
    'HTTP 200 and `{ok: false, msg}`.',
    '',
    row(['Status', 'Code', 'Text', 'Cause', 'What to do']),
    row(['---', '---', '---', '---', '---']),
    ...Object.entries(errorTable)
      .sort(([, a], [, b]) => a.status - b.status)
      .map(([code, { status, msg, cause, hint }]) => row([status, `\`${code}\``, msg, cause, hint])),
    '',
    'This page is made from `packages/contract/src/errors.ts`: `script/update`.',
    '',
  ].join('\n');

test("docs/errors.md is the contract's table of errors", async () => {
  await expect(toPage()).toMatchFileSnapshot('../../docs/errors.md');
});

test('what to do stands in a header, so it is plain ASCII of one line', () => {
  for (const { hint } of Object.values(errorTable)) expect(hint).toMatch(/^[\x20-\x7e]+\.$/);
});
