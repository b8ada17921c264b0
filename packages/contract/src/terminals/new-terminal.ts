/** What a new terminal takes, and what its owner may write on it. */
import { MAX_NOTES_CHARACTERS, MAX_TAG_CHARACTERS, MAX_TAGS } from '../limits.ts';
import { Line, Nullable, Type, type Static } from '../schema.ts';

/** What an owner writes on a terminal. */
export const labelChanges = {
  tags: Type.Optional(
    Type.Array(Line({ minLength: 1, maxLength: MAX_TAG_CHARACTERS }), {
      maxItems: MAX_TAGS,
      description: 'To filter by; [] for none',
    }),
  ),
  notes: Type.Optional(
    Nullable('string', { maxLength: MAX_NOTES_CHARACTERS, description: 'For people; null for none' }),
  ),
  external_id: Type.Optional(
    Nullable('string', {
      maxLength: 255,
      singleLine: true,
      description: 'What a program of yours calls it, once per account; null for nothing',
    }),
  ),
};

/** What a new terminal takes. */
export const NewTerminal = Type.Object({
  server_name: Line({ maxLength: 128, description: 'Trading server' }),
  login: Line({ maxLength: 64, description: 'Trading account; digits only on MetaTrader' }),
  password: Line({ maxLength: 128, description: 'Never shown again' }),
  name: Type.Optional(Line({ maxLength: 255, description: 'Defaults to the login' })),
  region: Type.Optional(
    Type.Integer({ description: 'Where it runs; absent: in the default region, or else where a slot is free first' }),
  ),
  project_id: Type.Optional(Type.String()),
  platform: Type.Optional(Type.String({ description: 'A platform that a host of the region offers' })),
  ...labelChanges,
});

/** What became of one of many new terminals. */
export const TerminalCreation = Type.Object({
  index: Type.Integer({ description: 'Its place in `items`, from 0' }),
  ok: Type.Boolean({ description: 'It has no errors; whether it was created, `terminal_id` says' }),
  terminal_id: Nullable('string', { format: 'uuid', description: 'null: it was not created' }),
  errors: Type.Unsafe<Record<string, string[]>>({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
    description: 'Texts by field, as in a 422',
  }),
  warnings: Type.Array(Type.String()),
});
/** What became of one of many new terminals. */
export type TerminalCreation = Static<typeof TerminalCreation>;
