/**
 * A name inside of a sentence that is one string (a message, a label): its own reading direction stays inside of it, and it
 * is short enough to leave room for the sentence. In markup `<bdi>` does the same.
 */
const MAX_LENGTH = 80;
const [BEGIN, END] = ['\u2068', '\u2069'];

export const isolate = (name: string): string => {
  // Cut between characters, not through one; no more of a long name is looked at than could be shown.
  const letters = Array.from(name.slice(0, 2 * MAX_LENGTH + 1));
  const short = letters.length > MAX_LENGTH ? `${letters.slice(0, MAX_LENGTH).join('')}…` : name;
  return BEGIN + short.replaceAll(END, '') + END;
};
