import type { RiskActions } from '../../src/risk/breach-actions.ts';

const refuse = () => Promise.reject(new Error('Nothing is done here.'));

/** Of a guard that decides and does nothing. */
export const noActions: RiskActions = { takeExpertsAway: refuse, closeAll: refuse, switchTrading: refuse };
