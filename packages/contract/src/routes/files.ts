import { StoredFile } from '../resources.ts';
import { AnyBoundedPagination, Envelope, Null, Nullable, pageQuery, Type, type Static } from '../schema.ts';
import { defineRoute } from './route.ts';

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

export const fileRoutes = {
  listFiles: defineRoute({
    method: 'GET',
    url: '/v1/my/files',
    summary: 'List files and screenshots, newest first, and how much of the storage they use',
    tag: 'Files',
    auth: 'user',
    ability: 'read',
    query: Type.Object(pageQuery()),
    response: Type.Object({
      ok: Type.Literal(true),
      msg: Type.String(),
      data: Type.Array(StoredFile),
      pagination: AnyBoundedPagination,
      used_bytes: Type.Integer({ description: 'Size of all files and screenshots of the account' }),
      quota_bytes: Type.Integer({ description: 'What they may come to' }),
    }),
  }),
  listExperts: defineRoute({
    method: 'GET',
    url: '/v1/my/experts',
    summary: 'List experts: what runs on your terminals, and your expert files',
    tag: 'Files',
    auth: 'user',
    ability: 'read',
    query: Type.Object({
      sha256: Type.Optional(
        Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Only this program, with its terminals' }),
      ),
    }),
    response: Envelope(Type.Array(LibraryExpert)),
  }),
  createFile: defineRoute({
    method: 'POST',
    audit: 'file.create',
    url: '/v1/my/files',
    summary: 'Upload a file (raw body, up to 32 MiB)',
    tag: 'Files',
    auth: 'user',
    ability: 'write',
    isRawBody: true,
    errors: ['storage_quota', 'storage_full'],
    isIdempotent: true,
    query: Type.Object({
      name: Type.String({ minLength: 1, maxLength: 255, singleLine: true, description: 'File name' }),
    }),
    response: Envelope(StoredFile),
  }),
  getFile: defineRoute({
    method: 'GET',
    url: '/v1/my/files/:file_id',
    summary: 'Read what is known of a file',
    tag: 'Files',
    auth: 'user',
    ability: 'read',
    response: Envelope(StoredFile),
  }),
  getFileContent: defineRoute({
    method: 'GET',
    url: '/v1/my/files/:file_id/content',
    summary: 'Download a file, or a part of it',
    tag: 'Files',
    download: { mediaTypes: ['application/octet-stream', 'image/png', 'text/plain', '*/*'], hasRanges: true },
    auth: 'user',
    ability: 'read',
    response: Type.Unsafe<Uint8Array>({ type: 'string', format: 'binary' }),
  }),
  deleteFile: defineRoute({
    method: 'DELETE',
    audit: 'file.delete',
    url: '/v1/my/files/:file_id',
    summary: 'Delete a file that no unfinished task needs',
    tag: 'Files',
    errors: ['file_in_use'],
    auth: 'user',
    ability: 'delete',
    response: Envelope(Null),
  }),
};
