import type { CommandName } from './command-names.ts';
import type { HostCommand } from './host-command.ts';

/** Each is loaded only when it is used. */
export const commands: Record<CommandName, () => Promise<HostCommand>> = {
  doctor: async () => (await import('./doctor/doctor.ts')).doctor,
  'prepare-base': async () => (await import('./prepare-base/prepare-base.ts')).prepareBase,
  probe: async () => (await import('./probe/probe.ts')).probe,
  shell: async () => (await import('./shell/shell.ts')).shell,
  screen: async () => (await import('./screen/screen.ts')).screen,
  bases: async () => (await import('./bases/bases-command.ts')).bases,
};
