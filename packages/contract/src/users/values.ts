/** `status` of an account. Every call of a suspended or closed one is answered 403. */
export const AccountStatus = { ACTIVE: 0, SUSPENDED: 1, CLOSED: 2 } as const;
export type AccountStatusName = keyof typeof AccountStatus;
export type AccountStatus = (typeof AccountStatus)[AccountStatusName];

export const accountStatuses = Object.values(AccountStatus);

/** What operators may do: each role may do what those before it may. */
export const operatorRoles = ['viewer', 'operator', 'owner'] as const;
/** A viewer sees; an operator changes; an owner manages operators, too, and closes accounts. */
export type OperatorRole = (typeof operatorRoles)[number];

/**
 * True when the role is the one that is needed, or a higher one.
 * @example
 * import { hasRole } from '@berth/contract/values';
 * hasRole('owner', 'operator'); // => true
 * hasRole('viewer', 'operator'); // => false
 * hasRole(null, 'viewer'); // => false
 */
export const hasRole = (own: OperatorRole | null, needed: OperatorRole): boolean =>
  own !== null && operatorRoles.indexOf(own) >= operatorRoles.indexOf(needed);
