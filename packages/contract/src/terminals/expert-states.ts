/**
 * The state of an EA. `running`: the terminal's journal says that it was loaded; `failed`: it was refused, or an error
 * of its code ended it; `stopped`: it was removed, by itself or by hand, or the terminal does not run; `unknown`: the
 * journal has not mentioned it yet.
 */
export const expertStates = ['running', 'failed', 'stopped', 'unknown'] as const;
export type ExpertState = (typeof expertStates)[number];

/** Of a line that says why an EA failed. */
export const MAX_EXPERT_LINE = 255;
