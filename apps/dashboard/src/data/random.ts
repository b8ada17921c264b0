/** 128 random bits in hex. Browsers have no `randomUUID` on a page loaded over plain http from another machine. */
export const createRandomText = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
