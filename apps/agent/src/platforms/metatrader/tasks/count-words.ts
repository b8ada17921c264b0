/** "1 chart", "2 charts". */
export const countWords = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;
