/**
 * Statements without one of the conditions that keep people apart, made from the statements themselves, so that a new one is
 * covered by itself: whose row it is (user, host), which attempt may write (fence, session), and until when (expiry). Applied in
 * process, one at a time.
 */
import type { Statement } from '@berth/testing';

export interface Mutant {
  /** `find_file: user_id = $1` */
  name: string;
  statement: Statement;
  text: string;
}

/** Conditions with a parameter of the caller, and comparisons with the clock. */
const CONDITION =
  /(?:\b[a-z_]+\.)?(?:user_id|host_id|session_id|fence) = (?:\$\d+(?:::[a-z]+)?|[a-z]+\.(?:user_id|host_id|session_id|fence))|(?:\b[a-z_]+\.)?expires_at > now\(\)(?! [+-])/g;

/** Assignments look like conditions. */
const isAssigned = (text: string, at: number): boolean => {
  const before = text.slice(0, at);
  const clause = /\b(set|where|and|or|on|having)\b(?![\s\S]*\b(set|where|and|or|on|having)\b)/.exec(before)?.[1];
  return clause === 'set';
};

/** The condition holds always, and its parameters keep their types. */
export const toMutants = (statements: readonly Statement[]): Mutant[] =>
  statements.flatMap((statement) =>
    [...statement.text.matchAll(CONDITION)]
      .filter((match) => !isAssigned(statement.text, match.index))
      .map((match, index) => {
        const [condition] = match;
        const { text } = statement;
        const rest = text.slice(match.index + condition.length);
        return {
          name: `${statement.name}: ${condition}${index > 0 ? ` (${index + 1})` : ''}`,
          statement,
          text: `${text.slice(0, match.index)}(${condition} or true)${rest}`,
        };
      }),
  );

let applied = 0;

/**
 * Runs the callback with the mutant in place of its statement. With a name of its own: connections have prepared the
 * other one.
 */
export const withMutant = async <Result>(
  { statement, text }: Mutant,
  callback: () => Promise<Result>,
): Promise<Result> => {
  const original = { ...statement };
  applied += 1;
  Object.assign(statement, { text, name: `mutant_${applied}` });
  try {
    return await callback();
  } finally {
    Object.assign(statement, original);
  }
};
