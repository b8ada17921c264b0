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
    'it, not on the text. Every answer carries `X-Request-Id`; the log holds the details under it.',
    '',
    'A task that cannot be created in the present state of things is no error: HTTP 200 with `{ok: false, msg}`.',
    '',
    row(['Status', 'Code', 'Text', 'Cause']),
    row(['---', '---', '---', '---']),
    ...Object.entries(errorTable)
      .sort(([, a], [, b]) => a.status - b.status)
      .map(([code, { status, msg, cause }]) => row([status, `\`${code}\``, msg, cause])),
    '',
    'This page is made from `packages/contract/src/errors.ts`: `npx vitest run test/house/errors-doc.test.ts --update`.',
    '',
  ].join('\n');

test("docs/errors.md is the contract's table of errors", async () => {
  await expect(toPage()).toMatchFileSnapshot('../../docs/errors.md');
});
