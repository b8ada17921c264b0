/** Many terminals by one call. */
import { MAX_BULK_TERMINALS, MAX_CREATED_TERMINALS } from '../limits.ts';
import { Envelope, RefusalCode, Type } from '../schema.ts';
import { TaggedTerminals, Tags, TerminalCreation } from '../terminals/new-terminal.ts';
import { defineRoute } from './route.ts';

const user = { tag: 'Terminals', auth: 'user', ability: 'write' } as const;

/** Among those of terminals, in their place in the documentation. */
export const manyTerminalRoutes = {
  createTerminals: defineRoute({
    ...user,
    method: 'POST',
    audit: 'terminal.import',
    url: '/v1/my/trading/terminals/bulk',
    summary: 'Create many terminals: all of them, or none where one cannot be created',
    limit: 'taskCreation',
    errors: ['storage_full'],
    isIdempotent: true,
    isStrict: true,
    // 500 terminals with 2 KiB each.
    maxBodyBytes: 1024 * 1024,
    body: Type.Object({
      items: Type.Array(Type.Unsafe<Record<string, unknown>>({ type: 'object' }), {
        minItems: 1,
        maxItems: MAX_CREATED_TERMINALS,
        description: 'Each as for a single creation; an unknown field is an error here',
      }),
      dry_run: Type.Optional(Type.Boolean({ description: 'Only check them' })),
    }),
    response: Type.Object({
      ok: Type.Boolean({ description: 'false: none was created, or none would be' }),
      msg: Type.String(),
      data: Type.Array(TerminalCreation),
      code: RefusalCode,
    }),
  }),
  tagTerminals: defineRoute({
    ...user,
    method: 'POST',
    audit: 'terminal.tag',
    url: '/v1/my/trading/terminals/bulk/tags',
    summary: 'Add tags to many terminals, or remove them',
    isStrict: true,
    body: Type.Object({
      terminal_ids: Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: MAX_BULK_TERMINALS }),
      /** Tags to add. */
      add: Type.Optional(Tags),
      /** Tags to remove. */
      remove: Type.Optional(Tags),
    }),
    rules: ({ body }) =>
      body.add === undefined && body.remove === undefined
        ? [{ field: 'add', text: 'The add field is required when remove is not present.' }]
        : [],
    response: Envelope(TaggedTerminals),
  }),
};
