import { measureFolder } from '../run/folder-size.ts';
import type { TaskHandler } from './task-run.ts';

/** TERMINAL_DESTROY. Works in any state: a running terminal, half an installation, nothing. */
export const terminalDestroy: TaskHandler<'TERMINAL_DESTROY'> = async ({ terminal, steps }) => {
  const { home, launcher, box, record, live, observations } = terminal;
  await steps.run('stop_terminal', async () => {
    // Recorded first: whatever happens from here on, this terminal is not started again.
    if (record.get().isInstalled) await record.update({ isInstalled: false, shouldRun: false });
    await live.stop();
    live.detach();
    return { message: 'The terminal does not run.' };
  });
  await steps.run('remove_files', async () => {
    const existing = await measureFolder(home.folder);
    // The record last: by it, a start of the agent finds what an earlier one left half removed.
    await launcher.remove(box);
    await record.remove();
    observations.clear();
    const freed = Math.max(existing - (await measureFolder(home.folder)), 0);
    return { message: 'The files of the terminal were removed.', data: { freed_bytes: freed } };
  });
};
