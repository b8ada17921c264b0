import { isSameServerName } from '@berth/contract/values';
import { TERMINAL_FILE } from '../files/text-file.ts';
import { StepFailure } from '../step-failure.ts';
import { downloadFile } from './download.ts';
import { type TerminalParts, assertInstalled, type TaskHandler } from './task-run.ts';

/** The limit for a report; the oldest are dropped first. */
const MAX_SERVERS = 900;

/**
 * The terminal reads its known servers only at the start, and would overwrite them: they are replaced while it is
 * stopped.
 * @returns the server's name where the file contains one. Throws E_FILE for an invalid file
 */
const placeServerFile = async (
  { home, edition, record, live }: TerminalParts,
  content: Buffer,
  signal: AbortSignal,
) => {
  const { program, servers } = edition.dialect;
  const place = servers.findPlace(content);
  if (!place) throw new StepFailure('E_FILE', `This is no server file of ${program}. Upload the broker's own.`);
  await live.stop();
  await home.files.replaceFile(place.path, content, TERMINAL_FILE);
  if (record.get().shouldRun) await live.launch({ signal });
  return place.name;
};

/** ACCOUNT_SERVER. Addresses take effect at the next login; a server file immediately. */
export const accountServer: TaskHandler<'ACCOUNT_SERVER'> = async (run) => {
  const { payload, terminal, steps, signal } = run;
  const { record, edition } = terminal;
  const { program, servers: form } = edition.dialect;
  const { servers = [], file_id: fileId } = payload;
  assertInstalled(terminal);
  if (servers.length > 0 && !form.takesAddresses) {
    const text = `${program} cannot be given a server's address. Upload the broker's .srv file and send its file_id.`;
    throw new StepFailure('E_UNSUPPORTED', text);
  }
  let placed: string | undefined;
  let sha256: string | undefined;
  if (fileId !== undefined) {
    const file = await downloadFile(run, fileId);
    sha256 = file.sha256;
    await steps.run('place_server_file', async () => {
      placed = await placeServerFile(terminal, file.content, signal);
      return { message: 'The server file is in place.' };
    });
  }
  await steps.run('remember_servers', async () => {
    if (placed !== undefined && servers.length === 0) {
      return { message: `The terminal knows ${placed}.`, data: { known: [placed], sha256 } };
    }
    const kept = record
      .get()
      .servers.filter(({ name }) => !servers.some((server) => isSameServerName(server.name, name)));
    await record.update({ servers: [...servers, ...kept].slice(0, MAX_SERVERS) });
    const names = record.get().servers.map(({ name }) => name);
    const known = placed === undefined ? names : [placed, ...names];
    return {
      message: `Addresses are known of ${known.length} servers.`,
      data: { known, ...(sha256 === undefined ? {} : { sha256 }) },
    };
  });
};
