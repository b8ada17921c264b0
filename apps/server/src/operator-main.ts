/** script/operator <group> <command>. It takes the server's settings. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXIT, runProcessCommand, UsageError } from '@berth/command';
import { findCommand, toProcessCommand, type Asked } from './commands/commands.ts';
import { readConfig } from './config.ts';

const appDir = fileURLToPath(new URL('..', import.meta.url));
const rootDir = resolve(appDir, '../..');

const readArguments = (): Asked => {
  try {
    return findCommand(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`berth: ${error.message}\nscript/operator --help lists all commands.\n`);
    process.exit(EXIT.misused);
  }
};

const asked = readArguments();
if (asked.kind === 'help') {
  process.stdout.write(asked.text);
} else {
  await runProcessCommand({
    name: `script/operator ${asked.name}`,
    command: toProcessCommand(asked.name, asked.command, resolve(appDir, 'migrations')),
    args: asked.args,
    environment: process.env,
    readSettings: () => readConfig(process.env, resolve(rootDir, 'data')),
    expected: [Error],
  });
}
