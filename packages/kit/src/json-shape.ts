/**
 * What JSON may look like before it is parsed. Values take far more time and memory than the bytes that write them: a
 * megabyte of nested brackets keeps `JSON.parse`, and the collection of what it made, busy for a fifth of a second.
 */

export interface JsonLimits {
  maxDepth: number;
  /** Values in one array or object. */
  maxMembers: number;
  /** Values in all. */
  maxValues: number;
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c] as const;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d] as const;

/** The index of the quote that ends the string, or the length where none does. */
const findEnd = (bytes: Uint8Array, start: number): number => {
  let index = start + 1;
  while (index < bytes.length && bytes[index] !== QUOTE) index += bytes[index] === BACKSLASH ? 2 : 1;
  return index;
};

/**
 * Whether the text is worth parsing: it is not nested too deeply, and has not too many values. Text that is no JSON is
 * for the parser to refuse.
 */
export const isParsable = (bytes: Uint8Array, { maxDepth, maxMembers, maxValues }: JsonLimits): boolean => {
  /** How many values follow the first one, for each array or object that is open. */
  const counts = new Uint32Array(maxDepth + 1);
  let depth = 0;
  let values = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === QUOTE) index = findEnd(bytes, index);
    else if (byte === COMMA) {
      values += 1;
      if ((counts[depth]! += 1) >= maxMembers || values > maxValues) return false;
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      depth += 1;
      values += 1;
      if (depth > maxDepth || values > maxValues) return false;
      counts[depth] = 0;
    } else if ((byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) && depth > 0) depth -= 1;
  }
  return true;
};
