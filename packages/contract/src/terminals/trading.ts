/** Why experts may not trade; the first gate that is closed. */
export const tradingReasons = ['terminal_switch', 'expert_permission', 'investor_password', 'account'] as const;
export type TradingReason = (typeof tradingReasons)[number];

/** Whether experts may trade, as far as anybody knows: true, false with the first gate that is closed, or null. */
export interface TradingState {
  trading_allowed: boolean | null;
  trading_reason: TradingReason | null;
}
