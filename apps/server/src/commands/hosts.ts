import type { Page } from '@berth/command';
import { hostRoutes, HostStatus, type HostDetails } from '@berth/contract';
import { listHosts } from '../hosts/managed-hosts.ts';
import { drainHost, endHostDrain, updateHost } from '../operation/host-changes.ts';
import { commandOperator } from '../operation/acting-operator.ts';
import { findNumber, getText, toBody } from './arguments.ts';
import { toAnswer, type Call, type OperatorCommand } from './command.ts';
import type { Instance } from './instance.ts';
import { getNamedHost } from './names.ts';
import { toTable } from './table.ts';

const MAX_ROWS = 10_000;
const HEAD = ['id', 'name', 'region', 'status', 'terminals', 'new terminals', 'last seen'];

const statuses: Record<HostStatus, string> = {
  [HostStatus.ENROLLED]: 'enrolled',
  [HostStatus.ONLINE]: 'online',
  [HostStatus.LOST]: 'offline',
  [HostStatus.RETIRED]: 'retired',
};

const toState = ({ cordoned, drain }: HostDetails): string => {
  if (!drain) return cordoned ? 'cordoned' : 'yes';
  const left = drain.left.reduce((sum, { terminals }) => sum + terminals, 0);
  return drain.terminals === 'stop' ? `draining, ${left} to stop` : 'drained, they stay';
};

const toHostTable = (page: Page, hosts: readonly HostDetails[]): string =>
  toTable(
    page,
    HEAD,
    hosts.map((host) => [
      ...[host.id, host.name, host.region, statuses[host.status], `${host.terminals} of ${host.places}`],
      ...[toState(host), host.last_seen_at],
    ]),
  );

const toChanged = (call: Call, host: HostDetails) => toAnswer(toHostTable(call.page, [host]), { host });

const setCordoned = (cordoned: boolean) => async (instance: Instance, call: Call) => {
  const { id } = await getNamedHost(instance, call.positionals[0]);
  return toChanged(call, await instance.db.transaction((tx) => updateHost(tx, commandOperator, id, { cordoned })));
};

export const hostCommands: Record<string, OperatorCommand> = {
  list: {
    form: '',
    summary: 'lists hosts, newest first',
    options: {},
    count: 0,
    run: async ({ db }, { page }) => {
      const hosts = await listHosts(db.slow, { page: 1, per_page: MAX_ROWS }, { withDetails: true });
      return toAnswer(hosts.length === 0 ? 'There are no hosts.\n' : toHostTable(page, hosts), { hosts });
    },
  },
  cordon: {
    form: 'HOST',
    summary: 'keeps new terminals away from a host; those that it has go on',
    options: {},
    count: 1,
    run: setCordoned(true),
  },
  uncordon: {
    form: 'HOST',
    summary: 'lets new terminals on a host again',
    options: {},
    count: 1,
    run: setCordoned(false),
  },
  drain: {
    form: 'HOST --terminals stop|stay [--deadline-minutes N]',
    summary: 'cordons a host and stops its terminals, or changes the drain that goes on',
    details: 'Nothing is ended by force, not even after the deadline.',
    options: { terminals: { type: 'string' }, 'deadline-minutes': { type: 'string' } },
    count: 1,
    run: async (instance, call) => {
      const minutes = findNumber(call.options, 'deadline-minutes');
      const given = { terminals: getText(call.options, 'terminals'), deadline_minutes: minutes };
      const { terminals, deadline_minutes: deadlineMinutes } = toBody(hostRoutes.drainHost, given);
      const { id } = await getNamedHost(instance, call.positionals[0]);
      const drain = { id, terminals, deadlineMinutes };
      return toChanged(call, await instance.db.transaction((tx) => drainHost(tx, instance, commandOperator, drain)));
    },
  },
  'end-drain': {
    form: 'HOST [--uncordon]',
    summary: 'ends a drain; what was stopped stays stopped until its owner starts it',
    options: { uncordon: { type: 'boolean' } },
    count: 1,
    run: async (instance, call) => {
      const { id } = await getNamedHost(instance, call.positionals[0]);
      const end = { id, uncordon: call.options.uncordon === true };
      return toChanged(call, await instance.db.transaction((tx) => endHostDrain(tx, instance, commandOperator, end)));
    },
  },
};
