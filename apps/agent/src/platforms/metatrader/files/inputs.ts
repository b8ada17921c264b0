/** An expert's inputs as a task gives them. */
export type InputValues = Record<string, unknown>;

const toInputText = (value: unknown): string => {
  if (typeof value === 'number' && !Number.isInteger(value)) {
    // The terminal's reader knows no exponents.
    return Math.abs(value) < 1e-6 || Math.abs(value) >= 1e21 ? value.toFixed(16) : String(value);
  }
  if (typeof value === 'number') return BigInt(value).toString();
  return typeof value === 'boolean' || typeof value === 'string' ? String(value) : '';
};

/** Inputs as chart files and presets write them: `Name=value`, numbers without exponents, `true` and `false`. */
export const toInputTexts = (inputs: InputValues): Record<string, string> =>
  Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, toInputText(value)]));
