/** Experts of a user: their files, and where they run. */
import { Nullable, Type, type Static } from '../schema.ts';

/** Experts of one answer. */
export const MAX_LISTED_EXPERTS = 200;
/** Terminals that are named of each. */
export const MAX_EXPERT_TERMINALS = 500;

const ExpertFile = Type.Object({
  id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  size: Type.Integer({ description: 'In bytes' }),
  created_at: Type.String({ format: 'date-time' }),
});

/** An expert of a user, and where it runs. */
export const LibraryExpert = Type.Object({
  name: Type.String({ description: 'As terminals call it; of a file that runs nowhere, its name without the ending' }),
  sha256: Nullable('string', { description: 'Of the program; null where hosts cannot read it' }),
  file: Type.Unsafe<Static<typeof ExpertFile> | null>({
    ...ExpertFile,
    type: ['object', 'null'],
    description: 'The newest upload of this program; null: it is not among the files',
  }),
  terminals: Type.Integer({ description: 'On how many terminals hosts saw it last' }),
  terminal_ids: Type.Optional(
    Type.Array(Type.String({ format: 'uuid' }), {
      description: `With \`sha256\` in the query: which ones, up to ${MAX_EXPERT_TERMINALS}`,
    }),
  ),
});
/** An expert of a user, and where it runs. */
export type LibraryExpert = Static<typeof LibraryExpert>;
