import type { Page } from '@berth/command';
import type { ManagedUser } from '@berth/contract';
import { toTable } from './table.ts';

const toDate = (at: string | null): string => at?.slice(0, 10) ?? '-';

const toLimit = (limit: number | null): string => (limit === null ? '' : ` of ${limit}`);

const HEAD = ['id', 'e-mail', 'name', 'status', 'role', 'plan', 'terminals', 'MiB', 'created', 'last seen'];

export const toUserTable = (page: Page, users: readonly ManagedUser[]): string =>
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
