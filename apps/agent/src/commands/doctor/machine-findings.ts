import { BOTH, toGigabytes, type Finding } from './finding.ts';
import type { HostFacts } from './host-facts.ts';

const GIGA = 1024 ** 3;
/** A base under Wine takes 0.7 to 1.5 GB before MetaTrader is installed, and its installer as much again. */
const BASE_DISK_BYTES = 5 * GIGA;
/** With less, a host soon runs out of space. */
const COMFORTABLE_DISK_BYTES = 20 * GIGA;
/** With a larger difference, the times in the journals of terminals do not match those in the server's history. */
const MAX_CLOCK_SKEW_MS = 5_000;

const toSystem = ({ system }: HostFacts): Finding => {
  const seen = `${system.name}, kernel ${system.kernel}, ${system.isRoot ? 'as root' : 'as an ordinary user'}`;
  const base = { check: 'system', title: 'System', seen };
  if (system.platform === 'linux') return { ...base, level: 'ok' };
  const advice = 'Terminals run under Wine on Linux only. Use a machine with Debian 13.';
  return { ...base, level: 'problem', advice, blocks: BOTH };
};

const toProcessor = ({ processor: { architecture, model, cores, hasAvx2 } }: HostFacts): Finding => {
  const seen = `${cores} × ${model} (${architecture === 'x64' ? 'x86-64' : architecture}, ${hasAvx2 ? 'AVX2' : 'no AVX2'})`;
  const base = { check: 'processor', title: 'Processor', seen };
  if (architecture !== 'x64') {
    const advice = 'MetaTrader is made for x86-64. Use a machine with such a processor.';
    return { ...base, level: 'problem', advice, blocks: BOTH };
  }
  if (hasAvx2) return { ...base, level: 'ok' };
  const advice =
    'Current builds of MetaTrader 5 are said to need AVX2. A virtual machine must be given it by its host.';
  return { ...base, level: 'note', advice };
};

const toMemory = ({ memory }: HostFacts, terminals: number): Finding => {
  const { totalBytes, availableBytes, limitBytes } = memory;
  const limit = limitBytes === undefined ? '' : `; the agent may use ${toGigabytes(limitBytes)}`;
  const seen = `${toGigabytes(totalBytes)}, ${toGigabytes(availableBytes)} of it free${limit}`;
  const base = { check: 'memory', title: 'Memory', seen };
  if (terminals > 0) return { ...base, level: 'ok' };
  const advice =
    'That is too little for one terminal. Add memory, or reserve less for each (BERTH_AGENT_TERMINAL_MEMORY_MB).';
  return { ...base, level: 'problem', advice, blocks: BOTH };
};

const toDisk = ({ disk: { folder, freeBytes, isWritable, hasReflink } }: HostFacts): Finding => {
  const base = { check: 'disk', title: 'Disk' };
  if (freeBytes === undefined || !isWritable) {
    const seen = `${folder} cannot be written`;
    const advice = 'Run as the user that the agent runs as, or set BERTH_AGENT_DIR to a folder of that user.';
    return { ...base, seen, level: 'problem', advice, blocks: BOTH };
  }
  const seen = `${toGigabytes(freeBytes)} free at ${folder}${hasReflink ? '; copies share their blocks' : ''}`;
  if (freeBytes < BASE_DISK_BYTES) {
    const advice = 'A base needs up to 5 GB while it is prepared. Free some space, or set BERTH_AGENT_DIR elsewhere.';
    return { ...base, seen, level: 'problem', advice, blocks: BOTH };
  }
  if (freeBytes >= COMFORTABLE_DISK_BYTES) return { ...base, seen, level: 'ok' };
  const advice = 'A base takes 1 to 3 GB, and a terminal with its history up to 1 GB. That is soon full.';
  return { ...base, seen, level: 'note', advice };
};

const toServer = ({ server }: HostFacts): Finding => {
  const base = { check: 'server', title: 'Server' };
  if (server === undefined) {
    const advice = 'Set BERTH_SERVER_URL to try the connection too.';
    return { ...base, level: 'note', seen: 'BERTH_SERVER_URL is not set, so it was not asked', advice };
  }
  const { url, failure } = server;
  if (failure === undefined) return { ...base, level: 'ok', seen: `${url} answers` };
  const advice = 'Check the address, and that this machine may reach it (HTTPS_PROXY is honoured).';
  return { ...base, level: 'problem', seen: `${url} does not answer: ${failure}`, advice };
};

const toClock = ({ server }: HostFacts): Finding[] => {
  const aheadMs = server?.clockAheadMs;
  if (aheadMs === undefined) return [];
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const base = { check: 'clock', title: 'Clock' };
  if (Math.abs(aheadMs) <= MAX_CLOCK_SKEW_MS) return [{ ...base, level: 'ok', seen: "agrees with the server's" }];
  const seen = `${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the server's`;
  const advice = 'Let the time be set from the network: apt install systemd-timesyncd, then timedatectl set-ntp true.';
  return [{ ...base, level: 'note', seen, advice, packages: ['systemd-timesyncd'] }];
};

/** The findings about the machine itself. @param terminals how many its memory allows. Pure. */
export const toMachineFindings = (facts: HostFacts, terminals: number): Finding[] => [
  toSystem(facts),
  toProcessor(facts),
  toMemory(facts, terminals),
  toDisk(facts),
  toServer(facts),
  ...toClock(facts),
];
