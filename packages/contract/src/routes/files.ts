import { File } from '../resources.ts';
import { Envelope, Type } from '../schema.ts';
import { defineRoute } from './route.ts';

export const MAX_FILE_BYTES = 32 * 1024 * 1024;

export const fileRoutes = {
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
};
