/** What an agent does at a terminal's start, in a program that a test can kill. Arguments: folder, programs, isolation, program. */
import { join } from 'node:path';
import { openLauncher, openTerminal, start } from '@berth/testing/wine-terminals';

const [folder = '', programFolder = '', isolation = '', name = ''] = process.argv.slice(2);
const place = { folder, programFolder, environment: { BERTH_AGENT_ISOLATION: isolation } };
const terminal = openTerminal(openLauncher(place), join(folder, 'terminal'), name);
await terminal.processes.clear();
const handle = await start(terminal);
process.stdout.write(`${handle.id}\n`);
setInterval(() => undefined, 60_000);
