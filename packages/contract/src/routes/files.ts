import { File } from '../resources.ts';
import { Envelope, Null, pageQuery, PaginationWithTo, Type } from '../schema.ts';
import { defineRoute } from './route.ts';

export const MAX_FILE_BYTES = 32 * 1024 * 1024;
/** What a host may upload for one attempt of a task. */
export const MAX_ATTEMPT_BYTES = 64 * 1024 * 1024;
/** Of one user: small files fill no storage, but rows. */
export const MAX_FILES = 100_000;

export const fileRoutes = {
  listFiles: defineRoute({
    method: 'GET',
    url: '/v1/my/files',
    summary: 'List files and pictures, newest first, and how much of the storage they use',
    tag: 'Files',
    auth: 'user',
    ability: 'read',
    query: Type.Object(pageQuery(10)),
    response: Type.Object({
      ok: Type.Boolean(),
      msg: Type.String(),
      data: Type.Array(File),
      pagination: PaginationWithTo,
      used_bytes: Type.Integer({ description: 'What all files and pictures of the account come to' }),
      quota_bytes: Type.Integer({ description: 'What they may come to' }),
    }),
  }),
  createFile: defineRoute({
    method: 'POST',
    url: '/v1/my/files',
    summary: 'Upload a file (raw body, up to 32 MiB)',
    tag: 'Files',
    auth: 'user',
    ability: 'write',
    isRawBody: true,
    isIdempotent: true,
    query: Type.Object({
      name: Type.String({ minLength: 1, maxLength: 255, singleLine: true, description: 'File name' }),
    }),
    response: Envelope(File),
  }),
  getFile: defineRoute({
    method: 'GET',
    url: '/v1/my/files/:file_id',
    summary: 'Read what is known of a file',
    tag: 'Files',
    auth: 'user',
    ability: 'read',
    response: Envelope(File),
  }),
  getFileContent: defineRoute({
    method: 'GET',
    url: '/v1/my/files/:file_id/content',
    summary: 'Download a file',
    tag: 'Files',
    auth: 'user',
    ability: 'read',
    response: Type.Unsafe<Buffer>({ type: 'string', format: 'binary' }),
  }),
  deleteFile: defineRoute({
    method: 'DELETE',
    url: '/v1/my/files/:file_id',
    summary: 'Delete a file that no unfinished task needs',
    tag: 'Files',
    auth: 'user',
    ability: 'delete',
    response: Envelope(Null),
  }),
};
