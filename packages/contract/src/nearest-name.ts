import { cutText } from './text.ts';

/**
 * How many letters have to be added, removed, replaced or swapped with their neighbour to get from one word to the
 * other.
 */
const toDistance = (a: string, b: string): number => {
  let [older, row]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const steps = [(row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + cost];
      next.push(Math.min(...steps, isSwapped ? (older[j - 2] ?? 0) + 1 : Infinity));
    }
    [older, row] = [row, next];
  }
  return row[b.length] ?? 0;
};

const MAX_LENGTH = 64;
const toLetters = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/**
 * The known name that was probably meant, ignoring case and underscores; undefined where none is close. Pure.
 * @example
 * import { findNearestName } from '@berth/contract';
 * findNearestName('symbl', ['symbol', 'period']); // => 'symbol'
 * findNearestName('colour', ['symbol', 'period']); // => undefined
 */
export const findNearestName = (name: string, known: readonly string[]): string | undefined => {
  const letters = toLetters(cutText(name, MAX_LENGTH));
  if (letters === '') return undefined;
  const [nearest] = known
    .map((candidate) => ({ candidate, distance: toDistance(letters, toLetters(candidate)) }))
    .sort((a, b) => a.distance - b.distance);
  if (nearest && nearest.distance <= Math.max(1, Math.floor(letters.length / 3))) return nearest.candidate;
  const isPart = (candidate: string) => letters.length > 2 && toLetters(candidate).includes(letters);
  return known.find(isPart);
};
