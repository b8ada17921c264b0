/** Where the tests of `script/agent prepare-base` make their bases: an agent's folder for each, side by side. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test as withFixtures } from 'vitest';
import { createAgentFolder, removeAgentFolder } from './host-command.ts';
import { editorProgram, linkProgram, standInTerminal64 } from './windows-programs.ts';

/** An agent's folder with a terminal to make bases of. */
export class Workshop {
  readonly folder = createAgentFolder();
  readonly terminal = join(this.folder, 'terminal');

  constructor() {
    mkdirSync(join(this.terminal, 'config'), { recursive: true });
    copyFileSync(standInTerminal64, join(this.terminal, 'terminal64.exe'));
  }

  /** Puts what compiles MQL beside the terminal. It brings the link program's source, built as C++. */
  addEditor(): void {
    for (const name of ['MQL5/Include', 'simulated']) mkdirSync(join(this.terminal, name), { recursive: true });
    copyFileSync(editorProgram, join(this.terminal, 'MetaEditor64.exe'));
    copyFileSync(linkProgram, join(this.terminal, 'simulated/BerthLink.ex5'));
  }

  fromFolder(...more: string[]): string[] {
    return ['prepare-base', '--platform', 'mt5', '--folder', this.terminal, ...more];
  }

  listBases(): string[] {
    const bases = join(this.folder, 'bases/mt5');
    return existsSync(bases) ? readdirSync(bases).sort() : [];
  }

  installation(name: string): string {
    return join(this.folder, 'bases/mt5', name, 'prefix/drive_c/mt5');
  }

  /** The processes that belong to a box of this test: the box's start names its folder. */
  listBoxes(): string[] {
    return readdirSync('/proc').filter((pid) => {
      try {
        return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`${this.folder}/bases`);
      } catch {
        return false;
      }
    });
  }
}

// Side by side: most of a preparation waits for a journal to grow no more.
export const test = withFixtures.extend<{ workshop: Workshop }>({
  // eslint-disable-next-line no-empty-pattern -- vitest reads from it which fixtures this one needs
  workshop: async ({}, use) => {
    const workshop = new Workshop();
    await use(workshop);
    removeAgentFolder(workshop.folder);
  },
});
