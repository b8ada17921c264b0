import type { Candle } from '../wire/protocol.ts';

/** Everything that the image of a terminal's window shows. It holds no password. */
export interface WindowModel {
  title: string;
  build: number;
  account: AccountView | undefined;
  connection: { server: string; pingMs: number | undefined };
  algoTrading: boolean;
  quotes: QuoteView[];
  symbolCount: number;
  charts: ChartView[];
  journal: JournalView[];
  dialog: DialogView | undefined;
  now: Date;
}

export interface AccountView {
  login: string;
  server: string;
  company: string;
  balance: number;
  currency: string;
  leverage: number;
  kind: 'demo' | 'standard' | 'investor';
}

export interface QuoteView {
  symbol: string;
  digits: number;
  bid: number | undefined;
  ask: number | undefined;
  direction: number;
}

export interface ChartView {
  file: string | undefined;
  symbol: string;
  period: string;
  digits: number;
  candles: Candle[];
  bid: number | undefined;
  /** The expert on the chart; `active` when all gates let it trade. */
  expert: { name: string; active: boolean } | undefined;
}

export interface JournalView {
  time: string;
  source: string;
  message: string;
  level: number;
}

/** A window in front of everything else. */
export interface DialogView {
  title: string;
  lines: string[];
  button: string;
}

export interface ImageSize {
  width: number;
  height: number;
}
