import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createProcessLauncher } from '../../launchers/process/process-launcher.ts';
import { RUN_FILES, SCREEN_FILE } from '../../launchers/wine/keeper.ts';
import { getRunningBox, getTerminal, type FoundTerminal } from '../box/find-terminal.ts';
import { CommandError, EXIT } from '@berth/command';
import type { HostCommand, HostSettings } from '../host-command.ts';
import { encodePng, findPixels } from '../../launchers/wine/frame-buffer.ts';

const usage = `Usage: script/agent screen ID [--to FILE] [--json]

Writes a screenshot of a terminal's whole screen, as it is now, into a PNG file. Nothing is asked of the terminal: it
works while the terminal hangs. Of an ID its first letters are enough.

  --to     the file, which must not exist yet (screen-<start of the id>-<time>.png)
  --json   for programs

It uses the agent's settings. Run it as the user that the agent runs as. A screenshot may show what is private; the
file is for you alone to read.

Exit codes: 0 the screenshot is written, 1 there is no such terminal or no screen, 2 wrong arguments, 78 wrong settings.
`;

/** The sandbox draws its own screen, at any size. */
const SANDBOX_SIZE = { width: 1280, height: 800 };

const takeScreenshot = async (terminal: FoundTerminal, settings: HostSettings): Promise<Buffer> => {
  if (terminal.platform === 'sandbox') {
    const launcher = createProcessLauncher();
    return launcher.screen(launcher.toBox(terminal.folder)).capture(SANDBOX_SIZE);
  }
  const { box, host, living } = await getRunningBox(terminal, settings);
  // In a box the screen is in the box's own memory, which is reached through its first process.
  const run = host.isolation.level === 'none' ? box.paths.run : join(`/proc/${living.init.pid}/root`, box.inside.run);
  const pixels = await findPixels(join(run, RUN_FILES.screen, SCREEN_FILE));
  if (!pixels) throw new CommandError(`The screen of the terminal ${terminal.id} cannot be read. Start it again.`);
  return encodePng(pixels);
};

const toDefaultName = (id: string): string => {
  const time = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  return `screen-${id.slice(0, 8)}-${time}.png`;
};

const write = async (path: string, screenshot: Buffer): Promise<void> => {
  const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw new CommandError(`${path} cannot be written (${error.code}).`);
    throw new CommandError(`${path} exists already. Name another file with --to.`);
  });
  try {
    await file.writeFile(screenshot);
  } finally {
    await file.close();
  }
};

/** `script/agent screen` */
export const screen: HostCommand = {
  usage,
  options: { to: { type: 'string' } },
  positionals: { min: 1, max: 1 },
  async run({ options, positionals: [id = ''], settings }) {
    const terminal = await getTerminal(id, settings);
    const screenshot = await takeScreenshot(terminal, settings);
    const path = resolve(String(options.to ?? toDefaultName(terminal.id)));
    await write(path, screenshot);
    const [width, height] = [screenshot.readUInt32BE(16), screenshot.readUInt32BE(20)];
    return {
      exitCode: EXIT.fine,
      text: `${path} (${width} x ${height})\n`,
      json: { ok: true, id: terminal.id, file: path, width, height, size: screenshot.length },
    };
  },
};
