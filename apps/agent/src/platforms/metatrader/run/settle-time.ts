import type { EditionTiming } from '../edition.ts';
import type { TerminalView } from './terminal-view.ts';

/**
 * How long a terminal that ended may take to come back by itself: only one that announced that it closes, or updates
 * itself, does. Pure.
 */
export const toSettleMs = (
  { isUpdating, hasShutDown }: Pick<TerminalView, 'isUpdating' | 'hasShutDown'>,
  { exitSettleMs, updateSettleMs }: Pick<EditionTiming, 'exitSettleMs' | 'updateSettleMs'>,
): number => {
  if (!isUpdating && !hasShutDown) return 0;
  return isUpdating && hasShutDown ? updateSettleMs : exitSettleMs;
};
