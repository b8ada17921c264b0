/** Commands about users that are there. */
import { UsageError, type Page } from '@berth/command';
import { operatorRoles, userRoutes, type ManagedUser, type OperatorRole, type UserStatus } from '@berth/contract';
import { countUsers, listUsers } from '../accounts/managed-users.ts';
import { assertRegions } from '../operation/limit-regions.ts';
import { commandOperator } from '../operation/acting-operator.ts';
import {
  changeUser,
  closeUser,
  reopenClosedUser,
  signOutUser,
  type ManagedChanges,
} from '../operation/user-changes.ts';
import { findNumber, findText, getText, limitOptions, readLimits, toBody } from './arguments.ts';
import { toAnswer, type Call, type OperatorCommand } from './command.ts';
import type { Instance } from './instance.ts';
import { getNamedUser } from './names.ts';
import { newUserCommands } from './new-users.ts';
import { toTable } from './table.ts';

const toDate = (at: string | null): string => at?.slice(0, 10) ?? '-';

const toLimit = (limit: number | null): string => (limit === null ? '' : ` of ${limit}`);

const HEAD = ['id', 'e-mail', 'name', 'status', 'role', 'plan', 'terminals', 'MiB', 'created', 'last seen'];

const toUserTable = (page: Page, users: readonly ManagedUser[]): string =>
  toTable(
    page,
    HEAD,
    users.map((user) => [
      ...[user.id, user.email, user.name, user.status, user.role, user.plan],
      ...[
        `${user.terminals}${toLimit(user.limits.terminals)}`,
        `${user.storage_used_mib}${toLimit(user.limits.storage_mib)}`,
      ],
      ...[toDate(user.created_at), toDate(user.last_seen_at)],
    ]),
  );

const USUAL_ROWS = 100;
const MAX_ROWS = 10_000;

const toChanged = (call: Call, user: ManagedUser) => toAnswer(toUserTable(call.page, [user]), { user });

/** Changes the user that was named, as the route does with the same body. */
const change = async (instance: Instance, call: Call, given: object) => {
  // What cannot be is refused before anybody is looked for.
  const changes: ManagedChanges = toBody(userRoutes.updateUser, given);
  await assertRegions(instance.regions, changes.limits?.regions);
  const { id } = await getNamedUser(instance, call.positionals[0]);
  const user = await instance.db.transaction((tx) => changeUser(tx, instance, commandOperator, id, changes));
  return toChanged(call, user);
};

const toRole = (text: string | undefined): OperatorRole | null => {
  if (text === 'none') return null;
  const role = operatorRoles.find((name) => name === text);
  if (role) return role;
  throw new UsageError(`The role must be ${operatorRoles.join(', ')} or none, not "${text ?? ''}".`);
};

const list: OperatorCommand = {
  form: '[--search TEXT] [--status active|suspended|closed] [--limit N]',
  summary: 'lists users, newest first',
  details: `  --search TEXT     in name, e-mail address and external id
  --limit N         how many at the most (${USUAL_ROWS})`,
  options: { search: { type: 'string' }, status: { type: 'string' }, limit: { type: 'string' } },
  count: 0,
  run: async ({ db }, { options, page }) => {
    const most = findNumber(options, 'limit') ?? USUAL_ROWS;
    if (most < 1 || most > MAX_ROWS) throw new UsageError(`--limit must be between 1 and ${MAX_ROWS}.`);
    const query = { search: findText(options, 'search'), status: findText(options, 'status') };
    toBody({ body: userRoutes.listUsers.query }, query);
    const filter = { search: query.search, status: query.status as UserStatus | undefined };
    const users = await listUsers(db.slow, filter, { page: 1, per_page: most });
    const total = users.length < most ? users.length : await countUsers(db.slow, filter);
    const more = total > users.length ? `${users.length} of ${total}: --search or --limit shows others.\n` : '';
    const text = users.length === 0 ? 'No user matches.\n' : toUserTable(page, users) + more;
    return toAnswer(text, { users, total });
  },
};

export const userCommands: Record<string, OperatorCommand> = {
  list,
  ...newUserCommands,
  limit: {
    form: 'USER [--plan N] [--terminals N] [--storage-mib N] [--regions 0,1]',
    summary: 'limits what a user may have; what is not given stays as it is',
    details: '"--terminals plan" and "--storage-mib plan" let the plan decide, "--regions all" lifts that limit.',
    options: limitOptions,
    count: 1,
    run: async (instance, call) => {
      const given = readLimits(call.options);
      if (Object.keys(given).length === 0) throw new UsageError('Give at least one limit.');
      return change(instance, call, given);
    },
  },
  suspend: {
    form: 'USER --reason TEXT --terminals keep|trading_off|stop',
    summary: 'suspends a user, and does what you choose to the terminals',
    options: { reason: { type: 'string' }, terminals: { type: 'string' } },
    count: 1,
    run: (instance, call) => {
      const suspension = { reason: getText(call.options, 'reason'), terminals: getText(call.options, 'terminals') };
      return change(instance, call, { status: 'suspended', suspension });
    },
  },
  reactivate: {
    form: 'USER',
    summary: 'ends a suspension',
    options: {},
    count: 1,
    run: (instance, call) => change(instance, call, { status: 'active' }),
  },
  'sign-out': {
    form: 'USER',
    summary: 'ends all sessions of a user, and revokes all tokens',
    options: {},
    count: 1,
    run: async (instance, call) => {
      const { id, email } = await getNamedUser(instance, call.positionals[0]);
      await instance.db.transaction((tx) => signOutUser(tx, commandOperator, id));
      return toAnswer(`${email} was signed out everywhere.\n`, { user_id: id });
    },
  },
  close: {
    form: 'USER --reason TEXT',
    summary: 'closes an account: refused and stopped at once, removed 30 days later',
    options: { reason: { type: 'string' } },
    count: 1,
    run: async (instance, call) => {
      const { reason } = toBody(userRoutes.closeUser, { reason: getText(call.options, 'reason') });
      const { id } = await getNamedUser(instance, call.positionals[0]);
      const closing = { id, reason };
      return toChanged(call, await instance.db.transaction((tx) => closeUser(tx, instance, commandOperator, closing)));
    },
  },
  reopen: {
    form: 'USER',
    summary: 'takes back the closing of an account; the user is suspended',
    options: {},
    count: 1,
    run: async (instance, call) => {
      const { id } = await getNamedUser(instance, call.positionals[0]);
      return toChanged(call, await instance.db.transaction((tx) => reopenClosedUser(tx, commandOperator, id)));
    },
  },
  role: {
    form: `USER ${operatorRoles.join('|')}|none`,
    summary: 'makes a user an operator with a role, or takes it away',
    options: {},
    count: 2,
    run: (instance, call) => change(instance, call, { role: toRole(call.positionals[1]) }),
  },
};
