import { TERMINAL_FILE } from '../files/text-file.ts';
import type { TerminalParts } from '../parts.ts';
import { downloadFile } from './download.ts';
import { assertInstalled, type TaskHandler } from './task-run.ts';

const SERVERS_FILE = 'config/servers.dat';

/** The terminal reads its server list at the start only, and would overwrite it: it is replaced while the terminal is stopped. */
const placeServersFile = async ({ home, record, live }: TerminalParts, content: Buffer, signal: AbortSignal) => {
  await live.stop();
  await home.files.replaceFile(SERVERS_FILE, content, TERMINAL_FILE);
  if (record.get().shouldRun) await live.launch({ signal });
};

/** ACCOUNT_SERVER. Addresses count from the next login on; a server file at once. */
export const accountServer: TaskHandler<'ACCOUNT_SERVER'> = async (run) => {
  const { payload, terminal, steps, signal } = run;
  const { record } = terminal;
  const { servers = [], file_id: fileId } = payload;
  assertInstalled(terminal);
  if (fileId !== undefined) {
    const { content } = await downloadFile(run, fileId);
    await steps.run('place_server_file', async () => {
      await placeServersFile(terminal, content, signal);
      return { message: 'The server file is in place.' };
    });
  }
  await steps.run('remember_servers', async () => {
    const kept = record.get().servers.filter(({ name }) => !servers.some((server) => server.name === name));
    await record.update({ servers: [...kept, ...servers] });
    const known = record.get().servers.map(({ name }) => name);
    return { message: `Addresses are known of ${known.length} servers.`, data: { known } };
  });
};
