import { readFileSync } from 'node:fs';

/** Both src/ and dist/ are in the app's folder, so this is right for either. */
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };

/** The version of this server. */
export const { version: VERSION } = manifest;
