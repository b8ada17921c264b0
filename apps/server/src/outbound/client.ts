import type { Client } from 'undici';

/** Most servers never call anybody: the HTTP client is loaded when there is a first call. */
export const loadClient = async (): Promise<typeof Client> => (await import('undici/lib/dispatcher/client.js')).default;
