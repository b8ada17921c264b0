import type { FieldError } from '../errors.ts';
import { Envelope, Type } from '../schema.ts';
import { TerminalMove } from '../terminals/move.ts';
import { defineRoute } from './route.ts';

/** Exactly one of the two says where. */
const toPlaceErrors = ({ body }: { body: Record<string, unknown> }): FieldError[] => {
  const given = [body.region, body.host_id].filter((value) => value !== undefined).length;
  if (given === 1) return [];
  const text =
    given === 0
      ? 'The region field is required when host id is not present.'
      : 'The region field must not be present when host id is.';
  return [{ field: 'region', text }];
};

export const moveRoutes = {
  moveTerminal: defineRoute({
    tag: 'Terminals',
    auth: 'user',
    ability: 'write',
    method: 'POST',
    url: '/v1/my/trading/terminals/:terminal_id/move',
    summary: 'Move a terminal to another host',
    audit: 'terminal.move',
    limit: 'taskCreation',
    errors: ['account_locked', 'terminal_not_movable', 'storage_full'],
    isIdempotent: true,
    isStrict: true,
    body: Type.Object({
      region: Type.Optional(Type.Integer({ description: 'To a host of this region; it may be its own' })),
      host_id: Type.Optional(
        Type.String({ maxLength: 64, description: 'To this host; only operators may say it. Instead of a region' }),
      ),
    }),
    rules: toPlaceErrors,
    response: Envelope(TerminalMove),
  }),
};
