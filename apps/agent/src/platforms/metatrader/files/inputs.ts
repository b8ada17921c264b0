import { toInputText } from '@berth/contract/values';

/** An expert's inputs as a task gives them. */
export type InputValues = Record<string, unknown>;

/** Inputs as chart files and presets write them: `Name=value`. */
export const toInputTexts = (inputs: InputValues): Record<string, string> =>
  Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, toInputText(value)]));
