import { expect, test } from 'vitest';
import { toReferencePage } from './reference-page.ts';

test('docs/reference.md is the contract: every route with input, answer and ability, every payload, every resource', async () => {
  await expect(toReferencePage()).toMatchFileSnapshot('../../docs/reference.md');
});
