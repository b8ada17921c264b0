/**
 * The rights that a token can carry; `*` means all, including those added later. `risk` unlocks what a risk rule has
 * locked.
 */
export const abilities = ['read', 'write', 'delete', 'risk'] as const;
export type Ability = (typeof abilities)[number];

/**
 * True when the granted rights hold the one that is needed.
 * @example
 * import { hasAbility } from '@berth/contract/values';
 * hasAbility(['*'], 'delete'); // => true
 * hasAbility(['read'], 'write'); // => false
 */
export const hasAbility = (granted: readonly string[], needed: Ability): boolean =>
  granted.includes('*') || granted.includes(needed);

/**
 * True when every right in `wanted` is covered by `granted`: no token hands out what it lacks itself.
 * @example
 * import { coversAbilities } from '@berth/contract/values';
 * coversAbilities(['read', 'write'], ['read']); // => true
 * coversAbilities(['read', 'write'], ['*']); // => false
 */
export const coversAbilities = (granted: readonly string[], wanted: readonly string[]): boolean =>
  granted.includes('*') || wanted.every((ability) => ability !== '*' && granted.includes(ability));
