/** Gauges that are read from the database: every server says the same. No label names a user, or an object of one. */
import { isFinalTaskStatus, TaskStatus, TerminalStatus } from '@berth/contract';
import type { Queryable } from '../db/database.ts';
import {
  countDueMessages,
  countHosts,
  countOpenTasks,
  countTerminals,
  countWaiting,
  countWebhooks,
  listMachines,
  readTickAge,
  type MachineFigures,
  type StatusCount,
} from './queries.ts';

const MEBIBYTE = 1024 * 1024;
const hostStatuses = { ENROLLED: 0, ONLINE: 1, LOST: 2, RETIRED: 3 } as const;
const openTaskStatuses = Object.fromEntries(
  Object.entries(TaskStatus).filter(([, status]) => !isFinalTaskStatus(status)),
);
const webhookStates = ['working', 'failing', 'disabled'];

interface Series {
  labels: Record<string, string>;
  value: number;
}

/** One question to the database, which may answer several gauges. */
export interface DatabaseGauges {
  /** By name: what a gauge says. */
  helps: Record<string, string>;
  labelNames: readonly string[];
  /** @returns the series of each gauge */
  read: (db: Queryable) => Promise<Record<string, Series[]>>;
}

/** Each name, also one without any members: a series that comes and goes cannot be monitored. */
const toSeries = (label: string, names: readonly string[], totals: ReadonlyMap<string, number>): Series[] =>
  [...new Set([...names, ...totals.keys()])].map((name) => ({
    labels: { [label]: name },
    value: totals.get(name) ?? 0,
  }));

const byStatus = (
  name: string,
  help: string,
  statuses: Record<string, number>,
  count: (db: Queryable) => Promise<StatusCount[]>,
): DatabaseGauges => {
  const names = new Map(Object.entries(statuses).map(([status, number]) => [number, status.toLowerCase()]));
  const toName = (status: number): string => names.get(status) ?? String(status);
  return {
    helps: { [name]: help },
    labelNames: ['status'],
    read: async (db) => {
      const totals = new Map((await count(db)).map(({ status, total }) => [toName(status), total]));
      return { [name]: toSeries('status', [...names.values()], totals) };
    },
  };
};

const toBytes = (megabytes: number | null): number | null => (megabytes === null ? null : megabytes * MEBIBYTE);

const machineGauges: Record<string, { help: string; read: (machine: MachineFigures) => number | null }> = {
  berth_host_places: { help: 'Terminals that an online host takes', read: ({ places }) => places },
  berth_host_terminals: { help: 'Terminals on an online host', read: ({ terminals }) => terminals },
  berth_host_memory_bytes: { help: 'Memory of a host', read: (host) => toBytes(host.memory_total_mb) },
  berth_host_memory_available_bytes: {
    help: 'Memory of a host that is free',
    read: (host) => toBytes(host.memory_available_mb),
  },
  berth_host_disk_bytes: {
    help: 'Disk that the terminals of a host lie on',
    read: (host) => toBytes(host.disk_total_mb),
  },
  berth_host_disk_available_bytes: {
    help: 'What is free on the disk of a host',
    read: (host) => toBytes(host.disk_available_mb),
  },
  berth_host_load_ratio: {
    help: 'Load average of a host over five minutes, of all its processors',
    read: ({ load_percent: percent }) => (percent === null ? null : percent / 100),
  },
};

const machines: DatabaseGauges = {
  helps: Object.fromEntries(Object.entries(machineGauges).map(([name, { help }]) => [name, help])),
  labelNames: ['host'],
  read: async (db) => {
    const hosts = await listMachines(db);
    const toOwn = (read: (machine: MachineFigures) => number | null): Series[] =>
      hosts.flatMap((machine) => {
        const value = read(machine);
        return value === null ? [] : [{ labels: { host: machine.name }, value }];
      });
    return Object.fromEntries(Object.entries(machineGauges).map(([name, { read }]) => [name, toOwn(read)]));
  },
};

const single = (name: string, help: string, read: (db: Queryable) => Promise<number>): DatabaseGauges => ({
  helps: { [name]: help },
  labelNames: [],
  read: async (db) => ({ [name]: [{ labels: {}, value: await read(db) }] }),
});

export const databaseGauges: readonly DatabaseGauges[] = [
  byStatus('berth_tasks_open', 'Tasks that have not ended, by status', openTaskStatuses, countOpenTasks),
  byStatus('berth_hosts', 'Hosts by status', hostStatuses, countHosts),
  byStatus('berth_terminals', 'Terminals that exist, by status', TerminalStatus, countTerminals),
  machines,
  {
    helps: { berth_terminals_waiting: 'Terminals that wait for a host, by region' },
    labelNames: ['region'],
    read: async (db) => ({
      berth_terminals_waiting: (await countWaiting(db)).map(({ region, total }) => ({
        labels: { region },
        value: total,
      })),
    }),
  },
  {
    helps: { berth_webhooks: 'Webhooks: working, failing (its last try failed) or disabled' },
    labelNames: ['state'],
    read: async (db) => {
      const totals = new Map((await countWebhooks(db)).map(({ state, total }) => [state, total]));
      return { berth_webhooks: toSeries('state', webhookStates, totals) };
    },
  },
  single(
    'berth_scheduler_tick_age_seconds',
    'Time since a scheduler, of whichever server, completed a tick',
    readTickAge,
  ),
  single('berth_alert_messages_waiting', 'Messages of alerts that are due and not sent yet', countDueMessages),
];
