import type { Command, CommandCall } from '@berth/command';
import type { HostSettings } from './host-settings.ts';

/** A command of `script/agent`. */
export type HostCommand = Command<HostSettings>;

export type HostCall = CommandCall<HostSettings>;
