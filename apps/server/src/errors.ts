import { errorTable, type ErrorCode, type FieldError } from '@berth/contract';

/** An error of the API: its status and text come from the contract's table, and only the error handler reads them. */
export class AppError extends Error {
  readonly code: ErrorCode;
  /** Seconds after which a retry makes sense. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    details: { resource?: string; retryAfterSeconds?: number } = {},
    options?: ErrorOptions,
  ) {
    super(errorTable[code].msg.replace('{resource}', details.resource ?? 'Object'), options);
    this.name = 'AppError';
    this.code = code;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }

  static notFound(resource: string): AppError {
    return new AppError('not_found', { resource });
  }
}

const GENERAL_HINT = 'Change what `errors` names. GET /openapi.json says what each field takes.';
/** A header has little room. */
const MAX_HINTS = 3;
/** Enough to show what is wrong. */
export const MAX_ERRORS = 16;
/** What they may take of an answer, which has 8 KiB. */
const MAX_ERROR_BYTES = 6 * 1024;

/** The first errors, as many as an answer has room for. */
const toFirst = (errors: readonly FieldError[]): FieldError[] => {
  let sizeBytes = 0;
  return errors.slice(0, MAX_ERRORS).filter(({ field, text }, index) => {
    sizeBytes += Buffer.byteLength(JSON.stringify([field, text]));
    return index === 0 || sizeBytes <= MAX_ERROR_BYTES;
  });
};

/** Becomes the 422 answer: `message` and `errors`, of which the first are kept. */
export class ValidationError extends Error {
  readonly errors: readonly FieldError[];

  constructor(errors: readonly FieldError[]) {
    super(errors[0]?.text ?? 'The given data was invalid.');
    this.name = 'ValidationError';
    this.errors = toFirst(errors);
  }

  static of(field: string, text: string, hint?: string): ValidationError {
    return new ValidationError([{ field, text, ...(hint === undefined ? {} : { hint }) }]);
  }

  /** What to do next. */
  get hint(): string {
    const hints = new Set(this.errors.flatMap(({ hint = [] }) => hint));
    return hints.size === 0 ? GENERAL_HINT : [...hints].slice(0, MAX_HINTS).join(' ');
  }

  /** The body of the answer: the first text, how many more there are, and every text by field. */
  toBody(): { message: string; errors: Record<string, string[]>; code: 'validation'; hint: string } {
    const others = this.errors.length - 1;
    const suffix = others > 0 ? ` (and ${others} more error${others > 1 ? 's' : ''})` : '';
    // A caller names the fields: `toString` is one like any other.
    const errors = Object.create(null) as Record<string, string[]>;
    for (const { field, text } of this.errors) (errors[field] ??= []).push(text);
    return { message: this.message + suffix, errors, code: 'validation', hint: this.hint };
  }
}
