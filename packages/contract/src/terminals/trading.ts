/** Why EAs may not trade; the first condition that is not met. */
export const tradingReasons = ['terminal_switch', 'expert_permission', 'investor_password', 'account'] as const;
export type TradingReason = (typeof tradingReasons)[number];

/** Whether EAs may trade, as far as it is known: true, false with the first condition that is not met, or null. */
export interface TradingState {
  trading_allowed: boolean | null;
  trading_reason: TradingReason | null;
}
