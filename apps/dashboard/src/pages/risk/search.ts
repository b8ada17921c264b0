/** The query parameters of the page Risk. */
export const riskTabs = ['rules', 'breaches'] as const;
export type RiskTab = (typeof riskTabs)[number];

export interface RiskSearch {
  /** Defaults to `rules`. */
  tab?: RiskTab;
  /** The form of this rule is open, or of a new one. */
  rule?: string;
  /** A new rule begins with this terminal; breaches are only of it. */
  terminal?: string;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
export const NEW_RULE = 'new';

export const toRiskSearch = (asked: Record<string, unknown>): RiskSearch => {
  const { rule, terminal } = asked;
  const isRule = rule === NEW_RULE || (typeof rule === 'string' && UUID.test(rule));
  return {
    ...(asked.tab === 'breaches' ? { tab: 'breaches' } : {}),
    ...(isRule ? { rule } : {}),
    ...(typeof terminal === 'string' && UUID.test(terminal) ? { terminal } : {}),
  };
};
