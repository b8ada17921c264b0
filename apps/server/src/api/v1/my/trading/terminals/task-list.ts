/**
 * Lists of tasks. A thousand results may be a hundred megabytes, so a list that is longer than a slice is read and sent
 * in slices: first the sizes, then the tasks, as fast as the reader accepts them.
 */
import { Readable } from 'node:stream';
import { Task, type CursorPagination, type PaginationWithTo, type Static, type taskRoutes } from '@berth/contract';
import type { FastifyReply } from 'fastify';
import type { ListedTask } from '../../../../../tasks/queries.ts';
import type { TaskRow } from '../../../../../tasks/task-row.ts';
import { toEnvelope } from '../../../../http/envelope.ts';
import { compileSerialiser } from '../../../../http/serialiser.ts';
import { SLICE_BYTES } from '../../../../limits/room.ts';

const MSG = 'Tasks retrieved successfully.';

const toText = compileSerialiser(Task);

/** Groups of neighbours that form a slice together; a task that is larger than a slice has a group to itself. */
const toGroups = (rows: readonly ListedTask[]): ListedTask[][] => {
  const groups: ListedTask[][] = [];
  let sizeBytes = SLICE_BYTES;
  for (const row of rows) {
    sizeBytes += row.size_bytes;
    if (sizeBytes > SLICE_BYTES) {
      groups.push([]);
      sizeBytes = row.size_bytes;
    }
    groups.at(-1)!.push(row);
  }
  return groups;
};

interface ListParts {
  /** Those of the tasks that still exist, with payload and result, in the order of the list. */
  readWhole: (tasks: readonly ListedTask[]) => Promise<TaskRow[]>;
  /** A row as the API shows it. */
  toItem: (row: TaskRow) => Task;
  pagination: PaginationWithTo | CursorPagination | undefined;
}

async function* writeSlices(
  groups: readonly (readonly ListedTask[])[],
  { readWhole, toItem, pagination }: ListParts,
): AsyncGenerator<string> {
  let before = `{"ok":true,"msg":${JSON.stringify(MSG)},"data":[`;
  for (const group of groups) {
    const rows = await readWhole(group);
    // Deleted in the meantime.
    if (rows.length === 0) continue;
    yield before + rows.map((row) => toText(toItem(row))).join(',');
    before = ',';
  }
  const start = before === ',' ? '' : before;
  yield `${start}]${pagination === undefined ? '' : `,"pagination":${JSON.stringify(pagination)}`}}`;
}

/**
 * Sends the answer: an object, or, where it is longer than a slice, its text as a stream.
 * @param rows of the list, whole until they fill a slice
 */
export const toTaskList = (rows: readonly ListedTask[], reply: FastifyReply, parts: ListParts) => {
  const { toItem, pagination } = parts;
  if (rows.every((row) => row.is_whole)) {
    const answer = toEnvelope(MSG, rows.map(toItem));
    return pagination === undefined ? answer : { ...answer, pagination };
  }
  reply.type('application/json; charset=utf-8');
  const list = Readable.from(writeSlices(toGroups(rows), parts), { objectMode: false });
  // Fastify sends a stream as it is.
  return list as unknown as Static<typeof taskRoutes.listTasks.response>;
};
