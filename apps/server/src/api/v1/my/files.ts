import { fileRoutes, type StoredFile } from '@berth/contract';
import { recordAudit } from '../../../audit/record.ts';
import type { Queryable } from '../../../db/database.ts';
import { COUNTED_ROWS, readPage } from '../../../db/page.ts';
import { AppError, ValidationError } from '../../../errors.ts';
import { deleteFile, findFileContent, insertFile } from '../../../files/files.ts';
import { countFiles, findFile, listFiles } from '../../../files/queries.ts';
import { assertRoom, findStorage } from '../../../files/storage.ts';
import { toQuotaBytes } from '../../../storage/budget.ts';
import { toEnvelope } from '../../http/envelope.ts';
import { newestFirst, readPageInput } from '../../http/cursor.ts';
import { toBoundedPagination } from '../../http/pagination.ts';
import { toPublicUrl } from '../../http/public-url.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';
import { sendFile } from '../../http/send-file.ts';

/** The last segment of what may be a path on the sender's disk. */
const toLabel = (name: string): string => {
  const label = name.split(/[/\\]/).at(-1)?.trim() ?? '';
  if (label === '' || label === '.' || label === '..') {
    throw ValidationError.of('name', 'The name field format is invalid.');
  }
  return label;
};

export const registerFileRoutes = (context: RouteContext): void => {
  const { config, db, storage } = context.services;
  registerRoute(context, fileRoutes.listFiles, {
    handle: async (input) => {
      const { user } = input.caller;
      const page = readPageInput<StoredFile>(fileRoutes.listFiles, input, newestFirst);
      const lists = {
        list: (on: Queryable) => listFiles(on, user.id, page),
        count: (on: Queryable, atMost: number | null) => countFiles(on, user.id, atMost),
        counted: COUNTED_ROWS,
      };
      const [{ data, total }, { used_bytes }] = await Promise.all([
        readPage(db, user.id, page, lists),
        findStorage(db, user.id),
      ]);
      const pagination = toBoundedPagination(page, total, data, toPublicUrl(input.request, config));
      const quota_bytes = toQuotaBytes(config, user);
      return { ...toEnvelope('Files retrieved successfully.', data), pagination, used_bytes, quota_bytes };
    },
  });
  registerRoute(context, fileRoutes.createFile, {
    handle: async ({ caller: { user }, actor, creation, query, body: content }) => {
      const name = toLabel(query.name);
      if (content.length === 0) throw ValidationError.of('file', 'The file field is required.');
      const quotaBytes = toQuotaBytes(config, user);
      await assertRoom(db, user.id, { quotaBytes, newBytes: content.length, newFiles: 1 });
      await storage.assertRoom(user.id, content.length);
      const newFile = { userId: user.id, name, content, quotaBytes };
      const file = await creation.within(async (tx) => {
        const inserted = await insertFile(tx, newFile);
        const target = { type: 'file', id: inserted.id };
        await recordAudit(tx, actor, { action: 'file.create', target, after: inserted });
        return inserted;
      });
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
      const found = await findFileContent(db.slowFor(caller.user.id), caller.user.id, params.file_id);
      if (!found) throw AppError.notFound('File');
      return sendFile(request, reply, found);
    },
  });
  registerRoute(context, fileRoutes.deleteFile, {
    handle: async ({ caller, actor, params }) => {
      await deleteFile(db, actor, caller.user.id, params.file_id);
      return toEnvelope('File deleted successfully.', null);
    },
  });
};
