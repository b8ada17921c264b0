/**
 * Loaded into a process before its program (`node --import`): its clock, and that of every process that it starts, is off by
 * the milliseconds that stand in the file named by CLOCK_FILE, and steps when the file changes. As on a real machine, only
 * the time of day is wrong: timers and performance.now() are not.
 */
import childProcess from 'node:child_process';
import { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { CLOCK_FILE = '', NODE_OPTIONS = '' } = process.env;
const READ_MS = 100;
const TrueDate = Date;
let offsetMs = 0;

const readOffset = () => {
  try {
    offsetMs = Number(readFileSync(CLOCK_FILE, 'utf8'));
  } catch {
    // While the file is away the last offset stays.
  }
};
readOffset();
setInterval(readOffset, READ_MS).unref();

globalThis.Date = class extends TrueDate {
  constructor(...values) {
    if (values.length === 0) super(TrueDate.now() + offsetMs);
    else super(...values);
  }

  static now() {
    return TrueDate.now() + offsetMs;
  }
};

const { spawn } = childProcess;
childProcess.spawn = (program, args, options = {}) =>
  spawn(program, args, { ...options, env: { ...(options.env ?? process.env), CLOCK_FILE, NODE_OPTIONS } });
syncBuiltinESMExports();
