/**
 * Bytes that `fetch` and `Blob` take: `Uint8Array<ArrayBuffer>`. Before TypeScript 5.7 that type has no argument, and this is
 * `Uint8Array`.
 */
export type Bytes = ReturnType<Uint8Array['slice']>;
