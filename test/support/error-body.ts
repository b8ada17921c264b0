import { errorTable, type ErrorCode } from '@berth/contract';

/** The body of an error. @param msg where the table's text has a gap */
export const toErrorBody = (code: ErrorCode, msg: string = errorTable[code].msg) => ({
  ok: false,
  msg,
  data: null,
  code,
  hint: errorTable[code].hint,
});
