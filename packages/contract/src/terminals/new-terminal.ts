/** What a new terminal takes, and what its owner may write on it. */
import {
  MAX_EXTERNAL_ID_CHARACTERS,
  MAX_LOGIN_CHARACTERS,
  MAX_NAME_CHARACTERS,
  MAX_NOTES_CHARACTERS,
  MAX_PASSWORD_CHARACTERS,
  MAX_SERVER_CHARACTERS,
  MAX_TAG_CHARACTERS,
  MAX_TAGS,
} from '../limits.ts';
import { Line, Nullable, Switch, Type, type Static } from '../schema.ts';

const Tag = Line({ minLength: 1, maxLength: MAX_TAG_CHARACTERS });
/** Tags to add or to remove. */
export const Tags = Type.Array(Tag, { minItems: 1, maxItems: MAX_TAGS });

/** What became of tags that were added to many terminals, or removed. */
export const TaggedTerminals = Type.Object({
  terminals: Type.Integer({ description: 'How many of them now have the tags as asked' }),
  full: Type.Array(Type.String({ format: 'uuid' }), {
    description: `Those that would have more than ${MAX_TAGS} tags: they stay as they were`,
  }),
});

/** What an owner writes on a terminal. */
export const labelChanges = {
  tags: Type.Optional(
    Type.Array(Tag, {
      maxItems: MAX_TAGS,
      description: 'To filter by; [] for none',
    }),
  ),
  notes: Type.Optional(
    Nullable('string', { maxLength: MAX_NOTES_CHARACTERS, description: 'For people; null for none' }),
  ),
  external_id: Type.Optional(
    Nullable('string', {
      maxLength: MAX_EXTERNAL_ID_CHARACTERS,
      singleLine: true,
      description: 'What a program of yours calls it, once per account; null for nothing',
    }),
  ),
};

/** What a new terminal takes. */
export const NewTerminal = Type.Object({
  server_name: Line({ maxLength: MAX_SERVER_CHARACTERS, description: 'Trading server' }),
  login: Line({ maxLength: MAX_LOGIN_CHARACTERS, description: 'Trading account; digits only on MetaTrader' }),
  password: Line({ maxLength: MAX_PASSWORD_CHARACTERS, description: 'Never shown again' }),
  name: Type.Optional(Line({ maxLength: MAX_NAME_CHARACTERS, description: 'Defaults to the login' })),
  region: Type.Optional(
    Type.Integer({ description: 'Where it runs; absent: in the default region, or else where a slot is free first' }),
  ),
  project_id: Type.Optional(Type.String()),
  platform: Type.Optional(Type.String({ description: 'A platform that a host of the region offers' })),
  snapshot_id: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'A snapshot of any of your terminals: its experts and options come too',
    }),
  ),
  allow_algo_trading: Type.Optional(
    Switch(
      'With a snapshot: 1 = turn algo trading on at the end, if it was on and everything came; absent: it stays off',
    ),
  ),
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
