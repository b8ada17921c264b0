/**
 * What is kept of a run. Values differ from run to run, so those that are kept stay as long as their shape is that of the run:
 * a renewal changes what has changed, and nothing else. Secrets are replaced by made-up ones.
 */
const MADE_UP = 'MadeUpMadeUpMadeUpMadeUpMadeUpMadeUpMadeUpMadeUp';
const MADE_UP_CODE = `0198c2a1-7d1e-7a9b-9f0e-3f5d2c6b8a10.${MADE_UP}`;
const SECRETS: [RegExp, string][] = [
  [/^\d+\|\w{48}$/, `7|${MADE_UP}`],
  [/^[0-9a-f-]{36}\.\w{30,}$/, MADE_UP_CODE],
  [/^http\S+#password=\S+$/, `http://127.0.0.1:4000/#password=${MADE_UP_CODE}`],
  [/^http\S+#invitation=\S+$/, `http://127.0.0.1:4000/#invitation=${MADE_UP_CODE}`],
];
const SECRET_FIELDS: Record<string, (value: string) => string> = {
  csrf_token: () => MADE_UP,
  join_token: () => MADE_UP,
  secret: () => 'whsec_TWFkZVVwTWFkZVVwTWFkZVVwTWFkZVVwTWFkZVVwTWE=',
  code: (value) => (/^\w+-\w+$/.test(value) ? 'MADEU-PCODE' : value),
};

const MAX_ITEMS = 3;
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isScalar = (value: unknown): boolean => !isObject(value) && !Array.isArray(value);

const cleanText = (text: string, replaced: Record<string, string>): string => {
  const secret = SECRETS.find(([pattern]) => pattern.test(text));
  if (secret) return secret[1];
  return Object.entries(replaced).reduce((result, [real, shown]) => result.replaceAll(real, shown), text);
};

/** Without secrets and places of the machine, and with the last items of each list: the others look the same. */
export const clean = (value: unknown, replaced: Record<string, string>): unknown => {
  if (typeof value === 'string') return cleanText(value, replaced);
  if (Array.isArray(value)) {
    const items = value.every(isScalar) ? value : value.slice(-MAX_ITEMS);
    return items.map((item) => clean(item, replaced));
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const toMadeUp = typeof item === 'string' && item !== '' ? SECRET_FIELDS[name] : undefined;
      return [name, clean(toMadeUp ? toMadeUp(item as string) : item, replaced)];
    }),
  );
};

/** What kind of text it is: values of one kind replace each other. */
const toKind = (text: string): string => {
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(text)) return 'uuid';
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return `time of ${text.length} characters`;
  if (/^[0-9a-f]{64}$/.test(text)) return 'sha256';
  return 'text';
};

/** Values of a field that the machine and the moment choose. */
const isSameScalar = (kept: unknown, real: unknown): boolean => {
  // Measured or not yet measured: null means unknown at the moment.
  if (kept === null || real === null) return true;
  if (typeof kept === 'string' && typeof real === 'string') return toKind(kept) === toKind(real);
  return typeof kept === typeof real;
};

/** The kept value where it has the shape of the real one, otherwise the real one. */
export const merge = (kept: unknown, real: unknown): unknown => {
  if (Array.isArray(kept) && Array.isArray(real)) {
    if (kept.length === 0 || real.length === 0) return real;
    if (real.every(isScalar)) return kept.every((item) => isSameScalar(item, real[0])) ? kept : real;
    return kept.map((item, index) => merge(item, real[Math.min(index, real.length - 1)]));
  }
  if (isObject(kept) && isObject(real)) {
    return Object.fromEntries(
      Object.entries(real).map(([name, item]) => [name, name in kept ? merge(kept[name], item) : item]),
    );
  }
  if (kept === null && !isScalar(real)) return real;
  if (real === null && !isScalar(kept)) return kept;
  return isScalar(kept) && isScalar(real) && isSameScalar(kept, real) ? kept : real;
};
