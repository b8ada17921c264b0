import { LibraryExpert } from '../files/experts.ts';
import { StoredFile } from '../resources.ts';
import { Envelope, Null, pageQuery, AnyBoundedPagination, Type } from '../schema.ts';
import { defineRoute } from './route.ts';

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
