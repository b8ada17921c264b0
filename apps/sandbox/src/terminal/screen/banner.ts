import { cpus, freemem, release, totalmem, type } from 'node:os';
import type { Journal } from '../journal.ts';

export const SANDBOX_BUILD = 6000;

const toGigabytes = (bytes: number): number => Math.round(bytes / 1024 ** 3);

/** The first lines of every run. `started for` is the anchor that every reader of such journals looks for. */
export const printBanner = (journal: Journal, windowsFolder: string): void => {
  const processors = cpus();
  const hours = -new Date().getTimezoneOffset() / 60;
  const machine = [
    `${type()} ${release()}`,
    `${processors.length} x ${processors[0]?.model.trim() ?? 'unknown'}`,
    `${toGigabytes(freemem())} / ${toGigabytes(totalmem())} Gb memory`,
    `GMT${hours < 0 ? '' : '+'}${hours}`,
  ];
  journal.print('Terminal', `Berth Sandbox x64 build ${SANDBOX_BUILD} started for Berth`);
  journal.print('Terminal', machine.join(', '));
  journal.print('Terminal', windowsFolder);
};
