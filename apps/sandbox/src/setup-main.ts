import { isAbsolute } from 'node:path';
import { createBaseFolder } from './setup/base-folder.ts';

const args = process.argv.slice(2);
const path = args.find((arg) => arg.toLowerCase().startsWith('/path:'))?.slice('/path:'.length);
const has = (name: string): boolean => args.some((arg) => arg.toLowerCase() === name);

if (!has('/auto') || !path || !isAbsolute(path)) {
  process.stderr.write('usage: node setup-main.js /auto /path:<absolute folder> [/mt4]\n');
  process.exit(2);
}
createBaseFolder(path, has('/mt4') ? 'mt4' : 'mt5');
