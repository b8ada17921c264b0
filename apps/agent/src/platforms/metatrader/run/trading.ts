import type { TradingReason, TradingState } from '@berth/contract/values';
import type { TerminalView } from './terminal-view.ts';

export interface TradingEvidence {
  /** The terminal's switch, by its journal or by the options that it was started with; null where neither shows it. */
  isSwitchOn: boolean | null;
  account: TerminalView['accountTrading'];
  /** The permission of a particular EA; undefined where it is not about one. */
  isExpertAllowed?: boolean | undefined;
}

const closed = (trading_reason: TradingReason): TradingState => ({ trading_allowed: false, trading_reason });

/** Whether EAs may trade: yes when all conditions hold, no when one does not, otherwise unknown. Pure. */
export const toTradingState = ({ isSwitchOn, account, isExpertAllowed }: TradingEvidence): TradingState => {
  if (isSwitchOn === false) return closed('terminal_switch');
  if (isExpertAllowed === false) return closed('expert_permission');
  if (account === 'investor_password' || account === 'account') return closed(account);
  return { trading_allowed: isSwitchOn && account === 'allowed' ? true : null, trading_reason: null };
};

const hints: Record<TradingReason, string> = {
  terminal_switch: 'Experts cannot trade: Algo Trading is off. Turn Algo Trading on.',
  expert_permission:
    'The expert cannot trade: it was installed without the permission to trade. Install it again with Allow Algo Trading.',
  investor_password: 'Experts cannot trade: this is an investor (read-only) login. Log in with the main password.',
  account: 'Experts cannot trade: the broker does not allow it on this account.',
};

/** A note for a step's message where trading was requested. */
export const toTradingHint = ({ trading_reason: reason }: TradingState): string =>
  reason === null ? '' : ` ${hints[reason]}`;
