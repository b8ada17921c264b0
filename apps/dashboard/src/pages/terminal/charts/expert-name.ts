const MAX_LENGTH = 63;

/** "Trend Follower.ex5" is the EA "Trend Follower"; characters that are not allowed in names become spaces. */
export const toExpertName = (fileName: string): string =>
  fileName
    .replace(/\.[^.]*$/, '')
    .replace(/[^\p{L}\p{N} _.()+-]+/gu, ' ')
    .replace(/^[ .]+|[ .]+$/g, '')
    .slice(0, MAX_LENGTH)
    .trim();
