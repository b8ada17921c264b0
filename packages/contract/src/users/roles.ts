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
