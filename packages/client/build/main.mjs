import { fileURLToPath } from 'node:url';
import { buildPackage } from './package.mjs';

await buildPackage(fileURLToPath(new URL('../dist', import.meta.url)));
