import { Nullable, Type, type Static } from '../schema.ts';

const codeOptions = { minimum: 0, maximum: 4_294_967_295, description: 'Its exit code' };
const signalOptions = { maxLength: 16, pattern: '^SIG[A-Z0-9+-]+$', description: 'Name of the signal that ended it' };

/** How a program ended. Both are null where nobody saw it. */
export const ProcessExit = Type.Object({
  code: Nullable<number>('integer', codeOptions),
  signal: Nullable('string', signalOptions),
});
export type ProcessExit = Static<typeof ProcessExit>;
