/**
 * The list of a terminal's tasks. A thousand results may be a hundred megabytes, so a list that is longer than a slice is read
 * and sent in slices: first the sizes, then the tasks, as fast as the reader takes them.
 */
import { Readable } from 'node:stream';
import { Task, type Pagination } from '@berth/contract';
import type { Queryable } from '../../../../../db/database.ts';
import { listTasks, listTasksBySeq, type ListedTask, type ListWindow } from '../../../../../tasks/queries.ts';
import type { TaskRow } from '../../../../../tasks/task-row.ts';
import { toEnvelope } from '../../../../http/envelope.ts';
import { compileSerialiser } from '../../../../http/serialiser.ts';
import { SLICE_BYTES } from '../../../../limits/answer-room.ts';

const MSG = 'Tasks retrieved successfully.';

const toText = compileSerialiser(Task);

/** Groups of neighbours that are a slice together; a task that is larger than one has a group to itself. */
const toGroups = (rows: readonly ListedTask[]): string[][] => {
  const groups: string[][] = [];
  let sizeBytes = SLICE_BYTES;
  for (const row of rows) {
    sizeBytes += row.size_bytes;
    if (sizeBytes > SLICE_BYTES) {
      groups.push([]);
      sizeBytes = row.size_bytes;
    }
    groups.at(-1)!.push(row.seq);
  }
  return groups;
};

async function* writeSlices(
  db: Queryable,
  { userId, terminalId }: ListWindow,
  groups: readonly string[][],
  { pagination, toItem }: { pagination: Pagination | undefined; toItem: (row: TaskRow) => Task },
): AsyncGenerator<string> {
  let before = `{"ok":true,"msg":${JSON.stringify(MSG)},"data":[`;
  for (const group of groups) {
    const rows = await listTasksBySeq(db, userId, terminalId, group);
    // Deleted meanwhile.
    if (rows.length === 0) continue;
    yield before + rows.map((row) => toText(toItem(row))).join(',');
    before = ',';
  }
  const start = before === ',' ? '' : before;
  yield `${start}]${pagination === undefined ? '' : `,"pagination":${JSON.stringify(pagination)}`}}`;
}

interface ListTexts {
  /** A row as the interface shows it. */
  toItem: (row: TaskRow) => Task;
  /** Of a page with so many tasks; undefined without pages. */
  toPagination: (count: number) => Pagination | undefined;
}

/**
 * The answer: an object, or, where it is longer than a slice, its text as a stream. Give it the owner's slow connections.
 */
export const toTaskList = async (db: Queryable, window: ListWindow, { toItem, toPagination }: ListTexts) => {
  const rows = await listTasks(db, window, SLICE_BYTES);
  const pagination = toPagination(rows.length);
  if (rows.every((row) => row.is_whole)) {
    const answer = toEnvelope(MSG, rows.map(toItem));
    return pagination === undefined ? answer : { ...answer, pagination };
  }
  return Readable.from(writeSlices(db, window, toGroups(rows), { pagination, toItem }), { objectMode: false });
};
