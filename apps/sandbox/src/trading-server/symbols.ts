export interface MarketSymbol {
  name: string;
  digits: number;
  /** The price around which the walk wanders. */
  base: number;
  /** Standard deviation of a year's logarithmic return. */
  volatility: number;
  /** Distance of bid and ask, in units of the last digit. */
  spreadPoints: number;
  description: string;
}

type Row = [name: string, digits: number, base: number, volatility: number, spreadPoints: number, description: string];

const ROWS: Row[] = [
  ['EURUSD', 5, 1.0842, 0.08, 6, 'Euro vs US Dollar'],
  ['GBPUSD', 5, 1.2713, 0.09, 9, 'Pound Sterling vs US Dollar'],
  ['USDJPY', 3, 151.42, 0.1, 9, 'US Dollar vs Yen'],
  ['USDCHF', 5, 0.8871, 0.08, 10, 'US Dollar vs Swiss Franc'],
  ['AUDUSD', 5, 0.6584, 0.1, 8, 'Australian Dollar vs US Dollar'],
  ['USDCAD', 5, 1.3592, 0.07, 11, 'US Dollar vs Canadian Dollar'],
  ['XAUUSD', 2, 2412.5, 0.16, 18, 'Gold vs US Dollar'],
  ['BTCUSD', 2, 64250, 0.55, 1250, 'Bitcoin vs US Dollar'],
  ['US500', 1, 5480, 0.16, 6, 'US 500 Index'],
  ['NZDUSD', 5, 0.6012, 0.1, 12, 'New Zealand Dollar vs US Dollar'],
  ['EURGBP', 5, 0.8527, 0.06, 10, 'Euro vs Pound Sterling'],
  ['EURJPY', 3, 164.18, 0.1, 13, 'Euro vs Yen'],
  ['EURCHF', 5, 0.9618, 0.05, 13, 'Euro vs Swiss Franc'],
  ['EURAUD', 5, 1.6467, 0.09, 17, 'Euro vs Australian Dollar'],
  ['EURCAD', 5, 1.4735, 0.07, 16, 'Euro vs Canadian Dollar'],
  ['GBPJPY', 3, 192.5, 0.11, 18, 'Pound Sterling vs Yen'],
  ['GBPCHF', 5, 1.1278, 0.08, 19, 'Pound Sterling vs Swiss Franc'],
  ['AUDJPY', 3, 99.7, 0.12, 14, 'Australian Dollar vs Yen'],
  ['CADJPY', 3, 111.4, 0.1, 15, 'Canadian Dollar vs Yen'],
  ['CHFJPY', 3, 170.7, 0.1, 17, 'Swiss Franc vs Yen'],
  ['USDSEK', 5, 10.512, 0.1, 240, 'US Dollar vs Swedish Krona'],
  ['USDNOK', 5, 10.674, 0.11, 260, 'US Dollar vs Norwegian Krone'],
  ['USDPLN', 5, 3.9781, 0.11, 150, 'US Dollar vs Zloty'],
  ['USDMXN', 5, 17.942, 0.13, 420, 'US Dollar vs Mexican Peso'],
  ['USDZAR', 5, 18.327, 0.15, 680, 'US Dollar vs Rand'],
  ['USDSGD', 5, 1.3466, 0.05, 18, 'US Dollar vs Singapore Dollar'],
  ['XAGUSD', 3, 29.415, 0.28, 22, 'Silver vs US Dollar'],
  ['XPTUSD', 2, 985.4, 0.24, 260, 'Platinum vs US Dollar'],
  ['WTI', 2, 78.62, 0.32, 4, 'Crude Oil'],
  ['BRENT', 2, 82.75, 0.31, 4, 'Brent Oil'],
  ['NATGAS', 3, 2.784, 0.5, 6, 'Natural Gas'],
  ['US30', 1, 39150, 0.14, 24, 'US 30 Index'],
  ['NAS100', 1, 19640, 0.2, 14, 'US Technology 100 Index'],
  ['GER40', 1, 18210, 0.16, 12, 'Germany 40 Index'],
  ['UK100', 1, 8195, 0.12, 11, 'UK 100 Index'],
  ['JP225', 0, 38900, 0.18, 8, 'Japan 225 Index'],
  ['ETHUSD', 2, 3415, 0.7, 180, 'Ether vs US Dollar'],
  ['LTCUSD', 2, 81.35, 0.75, 22, 'Litecoin vs US Dollar'],
  ['SOLUSD', 2, 148.2, 0.85, 12, 'Solana vs US Dollar'],
  ['XRPUSD', 5, 0.5214, 0.8, 90, 'Ripple vs US Dollar'],
  ['Volatility 75 (1s) Index', 2, 5431.5, 0.75, 60, 'Synthetic Index'],
  ['S&P.r_i#1', 1, 5480, 0.16, 6, 'US 500 Index, of a broker with endings'],
];

export const SYMBOLS: readonly MarketSymbol[] = ROWS.map(
  ([name, digits, base, volatility, spreadPoints, description]) => ({
    name,
    digits,
    base,
    volatility,
    spreadPoints,
    description,
  }),
);

const byName = new Map(SYMBOLS.map((symbol) => [symbol.name, symbol]));

export const findSymbol = (name: string): MarketSymbol | undefined => byName.get(name);
