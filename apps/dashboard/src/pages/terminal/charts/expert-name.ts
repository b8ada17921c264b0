const MAX_LENGTH = 63;

/** "Trend Follower.ex5" is the expert "Trend Follower"; letters that no name has become spaces. */
export const toExpertName = (fileName: string): string =>
  fileName
    .replace(/\.[^.]*$/, '')
    .replace(/[^\p{L}\p{N} _.()+-]+/gu, ' ')
    .replace(/^[ .]+|[ .]+$/g, '')
    .slice(0, MAX_LENGTH)
    .trim();
