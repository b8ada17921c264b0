import type { BasedPlatform } from '../bases/places.ts';
import { UsageError } from '@berth/command';

/** The platforms whose terminals come from a base. */
export const realPlatforms = ['mt5', 'mt4'] as const satisfies readonly BasedPlatform[];

export type RealPlatform = BasedPlatform;

/** @param value of the option `--platform` */
export const findPlatformOption = (value: string | boolean | undefined): RealPlatform | undefined => {
  if (value === undefined) return undefined;
  const platform = realPlatforms.find((name) => name === value);
  if (!platform) throw new UsageError(`--platform must be mt5 or mt4, not "${value}".`);
  return platform;
};
