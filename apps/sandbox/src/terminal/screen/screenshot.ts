import type { ChartView, DialogView, ImageSize, WindowModel } from '../../window/model.ts';
import type { Candle } from '../../wire/protocol.ts';
import type { Chart } from '../charts/chart.ts';
import type { Dialog, Workspace } from '../workspace.ts';
import { toTimeOfDay } from '../journal.ts';
import { toMinutes } from '../platform/period.ts';
import { SANDBOX_BUILD } from './banner.ts';

/** More candles than the widest screenshot shows. */
const HISTORY_CANDLES = 400;

const toDialogView = ({ title, text }: Dialog): DialogView => ({ title, lines: [text], button: 'OK' });

const toExpertView = ({ experts, platform, optionsFile, login }: Workspace, chart: Chart): ChartView['expert'] => {
  const expert = experts.find(chart);
  if (!expert) return undefined;
  const isInvestor = login.account?.investor ?? true;
  return {
    name: expert.name,
    active: optionsFile.settings.algoTrading && platform.mayTrade(expert.block) && !isInvestor,
  };
};

/** Fetches the charts' history, so that a screenshot is up to date when it is taken. */
const refreshCandles = async ({ login, marketWatch }: Workspace, charts: readonly Chart[]): Promise<void> => {
  const known = charts.filter((chart) => marketWatch.has(chart.symbol));
  await Promise.all(
    known.map(async (chart) => {
      const candles = await login.connection.findHistory(chart.symbol, toMinutes(chart.period), HISTORY_CANDLES);
      if (candles) chart.candles = candles;
    }),
  );
};

/** The last candle closes at the price shown in the Market Watch. */
const closeAtBid = (candles: readonly Candle[], bid: number | undefined): Candle[] => {
  const last = candles.at(-1);
  if (!last || bid === undefined) return [...candles];
  const [time, open, high, low] = last;
  return [...candles.slice(0, -1), [time, open, Math.max(high, bid), Math.min(low, bid), bid]];
};

const toChartView = (workspace: Workspace, chart: Chart): ChartView => ({
  file: chart.file,
  symbol: chart.symbol,
  period: chart.period,
  digits: workspace.marketWatch.getDigits(chart.symbol),
  candles: closeAtBid(chart.candles, workspace.marketWatch.findQuote(chart.symbol)?.bid),
  bid: workspace.marketWatch.findQuote(chart.symbol)?.bid,
  expert: toExpertView(workspace, chart),
});

const toAccountView = ({ login }: Workspace): WindowModel['account'] => {
  const { account } = login;
  if (!account) return undefined;
  const { server, company, balance, currency, leverage } = account;
  const kind = account.investor ? 'investor' : account.demo ? 'demo' : 'standard';
  return { login: account.login, server, company, balance, currency, leverage, kind };
};

const toModel = (workspace: Workspace): WindowModel => {
  const { marketWatch, journal, optionsFile, login } = workspace;
  const account = toAccountView(workspace);
  const server = account?.server ?? '';
  return {
    title: account ? `${account.login} - ${account.server} - Berth Sandbox` : 'Berth Sandbox',
    build: SANDBOX_BUILD,
    account,
    connection: { server, pingMs: login.connection.pingMs },
    algoTrading: optionsFile.settings.algoTrading,
    quotes: marketWatch.listSelected().map((symbol) => {
      const quote = marketWatch.findQuote(symbol);
      const digits = marketWatch.getDigits(symbol);
      return { symbol, digits, bid: quote?.bid, ask: quote?.ask, direction: quote?.direction ?? 0 };
    }),
    symbolCount: marketWatch.countSymbols(),
    charts: workspace.profile.charts.map((chart) => toChartView(workspace, chart)),
    journal: journal
      .listRecent()
      .map(({ at, source, message, level }) => ({ time: toTimeOfDay(at), source, message, level })),
    dialog: workspace.dialog && toDialogView(workspace.dialog),
    now: new Date(),
  };
};

/**
 * A screenshot of the window, or of one chart, as base64 PNG. The renderer is loaded with the first screenshot: a
 * terminal without screenshots needs half the memory.
 */
export const takeScreenshot = async (
  workspace: Workspace,
  size: ImageSize,
  chartFile: string | null,
): Promise<string> => {
  const { charts } = workspace.profile;
  const chosen = charts.filter((chart) => chartFile === null || chart.file === chartFile);
  const [{ drawWindow, drawChart }] = await Promise.all([
    import('../../window/draw.ts'),
    refreshCandles(workspace, chosen),
  ]);
  const model = toModel(workspace);
  const chart = chartFile === null ? undefined : model.charts.find(({ file }) => file === chartFile);
  const png = chart ? await drawChart(model, chart, size) : await drawWindow(model, size);
  return png.toString('base64');
};
