import { fileRoutes } from '@berth/contract';
import { toEnvelope } from '../http/envelope.ts';
import { AppError, ValidationError } from '../http/errors.ts';
import { registerRoute, type RouteContext } from '../http/route.ts';
import { sendFile } from './download.ts';
import { findFileContent, insertFile } from './files.ts';
import { findFile } from './queries.ts';

/** The last part of what may be a path on the sender's disk. */
const toLabel = (name: string): string => {
  const label = name.split(/[/\\]/).at(-1)?.trim() ?? '';
  if (label === '' || label === '.' || label === '..') {
    throw ValidationError.of('name', 'The name field format is invalid.');
  }
  return label;
};

export const registerFileRoutes = (context: RouteContext): void => {
  const { db } = context.services;
  registerRoute(context, fileRoutes.createFile, {
    handle: async ({ caller, creation, query, body: content }) => {
      const name = toLabel(query.name);
      if (content.length === 0) throw ValidationError.of('file', 'The file field is required.');
      const order = { userId: caller.user.id, name, content };
      const file = await creation.within((tx) => insertFile(tx, order));
      return toEnvelope('File uploaded successfully.', file);
    },
  });
  registerRoute(context, fileRoutes.getFile, {
    handle: async ({ caller, params }) => {
      const file = await findFile(db, caller.user.id, params.file_id);
      if (!file) throw AppError.notFound('File');
      return toEnvelope('File retrieved successfully.', file);
    },
  });
  registerRoute(context, fileRoutes.getFileContent, {
    handle: async ({ caller, params, request, reply }) => {
      const found = await findFileContent(db.slow, caller.user.id, params.file_id);
      if (!found) throw AppError.notFound('File');
      return sendFile(request, reply, found);
    },
  });
};
