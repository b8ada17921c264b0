/** What was typed, as the bodies of the routes that do the same: both are held to the contract. */
import { UsageError } from '@berth/command';
import type { FieldError, Static, TObject } from '@berth/contract';
import type { InputMode } from '../validation/normalise.ts';
import { compileStrictBody } from '../validation/validation.ts';

export type Options = Readonly<Record<string, string | boolean | undefined>>;

/** @throws UsageError where it is there and says nothing: nothing is never "all" */
export const findText = (options: Options, name: string): string | undefined => {
  const value = options[name];
  if (typeof value !== 'string') return undefined;
  if (value.trim() === '') throw new UsageError(`--${name} is empty.`);
  return value;
};

/** @throws UsageError where it is missing */
export const getText = (options: Options, name: string): string => {
  const value = findText(options, name);
  if (value === undefined) throw new UsageError(`--${name} is missing.`);
  return value;
};

const toNumber = (name: string, text: string): number => {
  if (!/^-?\d{1,15}$/.test(text.trim())) throw new UsageError(`--${name} takes a whole number, not "${text}".`);
  return Number(text);
};

export const findNumber = (options: Options, name: string): number | undefined => {
  const text = findText(options, name);
  return text === undefined ? undefined : toNumber(name, text);
};

/** Of an option that may also say `plan`: what the plan allows. */
const findLimit = (options: Options, name: string): number | null | undefined =>
  options[name] === 'plan' ? null : findNumber(options, name);

const findRegions = (options: Options): number[] | null | undefined => {
  const text = findText(options, 'regions');
  if (text === undefined || text === 'all') return text === undefined ? undefined : null;
  return text.split(',').map((part) => toNumber('regions', part));
};

/** Without the fields that were not given. */
const toGiven = (fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

export const limitOptions = {
  plan: { type: 'string' },
  terminals: { type: 'string' },
  'storage-mib': { type: 'string' },
  regions: { type: 'string' },
} as const;

/** `plan` and `limits`, as far as they were given. */
export const readLimits = (options: Options): object => {
  const limits = toGiven({
    terminals: findLimit(options, 'terminals'),
    storage_mib: findLimit(options, 'storage-mib'),
    regions: findRegions(options),
  });
  const isGiven = Object.keys(limits).length > 0;
  return toGiven({ plan: findNumber(options, 'plan'), limits: isGiven ? limits : undefined });
};

interface Contract {
  body: TObject;
  input?: InputMode;
  rules?: (input: { query: Record<string, unknown>; body: Record<string, unknown> }, now: Date) => FieldError[];
}

/** @throws UsageError with what the route would refuse it for */
export const toBody = <const Route extends Contract>(route: Route, given: object): Static<Route['body']> => {
  const { value, errors } = compileStrictBody(route.body, route.input)(toGiven(given));
  const [error] = errors.length > 0 ? errors : (route.rules?.({ query: {}, body: value }, new Date()) ?? []);
  if (error) throw new UsageError(error.text);
  return value as Static<Route['body']>;
};
