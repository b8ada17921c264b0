import type { Candle } from '../wire/protocol.ts';
import { cutBottom, cutLeft, cutTop, type Box } from './box.ts';
import type { ChartView } from './model.ts';
import { type Pen, theme } from './pen.ts';

const CAPTION_HEIGHT = 24;
const TIME_AXIS_HEIGHT = 20;
const PRICE_AXIS_WIDTH = 68;
const CANDLE_STEP = 8;
/** Free room at the right, where the next candles come in. */
const RIGHT_MARGIN = 44;
const STEPS = [1, 2, 2.5, 5, 10];

interface Scale {
  low: number;
  high: number;
  toY: (price: number) => number;
}

const toScale = (candles: readonly Candle[], bid: number | undefined, { y, height }: Box): Scale => {
  const prices = candles.flatMap(([, , high, low]) => [high, low]).concat(bid ?? []);
  const top = Math.max(...prices);
  const bottom = Math.min(...prices);
  const room = (top - bottom || top * 0.001) * 0.1;
  const high = top + room;
  const low = bottom - room;
  return { low, high, toY: (price) => y + ((high - price) / (high - low)) * height };
};

/** The roundest distance of grid lines that are at least minGap pixels apart. */
const toStep = ({ low, high }: Scale, height: number, minGap: number): number => {
  const raw = ((high - low) * minGap) / height;
  const magnitude = 10 ** Math.floor(Math.log10(raw));
  return (STEPS.find((step) => step * magnitude >= raw) ?? 10) * magnitude;
};

const drawPriceAxis = (pen: Pen, plot: Box, scale: Scale, { digits, bid }: ChartView): void => {
  const bidY = bid === undefined ? -Infinity : scale.toY(bid);
  const step = toStep(scale, plot.height, 36);
  for (let price = Math.ceil(scale.low / step) * step; price < scale.high; price += step) {
    const y = scale.toY(price);
    pen.line(plot.x, y, plot.x + plot.width, y, theme.grid);
    const isFree = Math.abs(y - bidY) > 14 && y > plot.y + 8 && y < plot.y + plot.height - 6;
    const style = { size: 10, mono: true, color: theme.muted };
    if (isFree) pen.text(plot.x + plot.width + 6, y, price.toFixed(digits), style);
  }
};

const toTimeLabel = (seconds: number, minutesPerCandle: number): string => {
  const text = new Date(seconds * 1000).toUTCString();
  const [, day = '', month = '', year = '', time = ''] = text.split(' ');
  if (minutesPerCandle >= 1440) return `${day} ${month} ${year}`;
  return `${day} ${month} ${time.slice(0, 5)}`;
};

const drawTimeAxis = (pen: Pen, plot: Box, candles: readonly Candle[], toX: (index: number) => number): void => {
  const minutes = ((candles[1]?.[0] ?? 0) - (candles[0]?.[0] ?? 0)) / 60;
  const every = 14;
  candles.forEach(([time], index) => {
    if (index % every !== 2) return;
    const x = toX(index);
    pen.line(x, plot.y, x, plot.y + plot.height, theme.grid);
    if (x > plot.x + 40 && x < plot.x + plot.width - 40) {
      const y = plot.y + plot.height + TIME_AXIS_HEIGHT / 2;
      pen.text(x, y, toTimeLabel(time, minutes), { size: 10, align: 'center', color: theme.muted });
    }
  });
};

const drawCandle = (pen: Pen, x: number, [, open, high, low, close]: Candle, { toY }: Scale): void => {
  const color = close >= open ? theme.up : theme.down;
  pen.line(x, toY(high), x, toY(low), color);
  const top = toY(Math.max(open, close));
  const height = Math.max(1, toY(Math.min(open, close)) - top);
  pen.fill({ x: Math.round(x) - 2, y: top, width: 5, height }, color, height > 3 ? 1 : 0);
};

const drawBid = (pen: Pen, plot: Box, bid: number, { toY }: Scale, digits: number): void => {
  const y = toY(bid);
  pen.line(plot.x, y, plot.x + plot.width, y, theme.accent, [4, 3]);
  pen.fill({ x: plot.x + plot.width + 1, y: y - 8, width: PRICE_AXIS_WIDTH - 4, height: 16 }, theme.accent, 2);
  const style = { size: 10, mono: true, color: theme.title };
  pen.text(plot.x + plot.width + 6, y, bid.toFixed(digits), style);
};

/** The sign of an expert at the right of the caption: smiling when it may trade. Returns the width that it took. */
const drawExpert = (pen: Pen, caption: Box, { name, active }: NonNullable<ChartView['expert']>): number => {
  const color = active ? theme.up : theme.faint;
  const label = { size: 11, bold: true, color: active ? theme.text : theme.muted };
  const width = Math.min(pen.measure(name, label) + 38, caption.width / 2);
  const x = caption.x + caption.width - 16;
  const y = caption.y + caption.height / 2;
  pen.text(caption.x + caption.width - width + 4, y, name, { ...label, maxWidth: width - 34 });
  pen.disc(x, y, 8, color);
  pen.disc(x - 3, y - 2, 1.2, theme.title);
  pen.disc(x + 3, y - 2, 1.2, theme.title);
  if (active) pen.arc(x, y, 4.4, Math.PI * 0.15, Math.PI * 0.85, theme.title, 1.4);
  else pen.line(x - 3, y + 3, x + 2, y + 3, theme.title);
  return width;
};

const drawCaption = (pen: Pen, box: Box, chart: ChartView, isFirst: boolean): void => {
  const { symbol, period, digits, candles, expert } = chart;
  pen.fill(box, theme.panelHead);
  pen.fill({ ...box, width: 3 }, isFirst ? theme.accent : theme.line);
  const y = box.y + box.height / 2;
  const expertWidth = expert ? drawExpert(pen, box, expert) : 0;
  const room = box.width - expertWidth - 20;
  const captionWidth = pen.text(box.x + 12, y, `${symbol}, ${period}`, { bold: true, maxWidth: room });
  const prices =
    candles
      .at(-1)
      ?.slice(1)
      .map((price) => price.toFixed(digits))
      .join('  ') ?? '';
  const style = { size: 10.5, mono: true, color: theme.muted };
  // Four prices or none: a part of them would only puzzle.
  if (pen.measure(prices, style) < room - captionWidth - 16) pen.text(box.x + 24 + captionWidth, y, prices, style);
};

/** One chart: caption, candles with their axes, the current bid, the expert. */
export const drawChartPane = (pen: Pen, box: Box, chart: ChartView, isFirst: boolean): void => {
  const [caption, body] = cutTop(box, CAPTION_HEIGHT);
  const [upper] = cutBottom(body, TIME_AXIS_HEIGHT);
  const [plot] = cutLeft(upper, upper.width - PRICE_AXIS_WIDTH);
  pen.within(box, () => {
    pen.fill(body, theme.chart);
    drawCaption(pen, caption, chart, isFirst);
    const middle = { x: plot.x + plot.width / 2, y: plot.y + plot.height / 2 };
    const markSize = Math.min(54, plot.width / 7);
    pen.text(middle.x, middle.y, chart.symbol, { size: markSize, bold: true, align: 'center', color: theme.watermark });
    const shown = chart.candles.slice(-Math.max(2, Math.floor((plot.width - RIGHT_MARGIN) / CANDLE_STEP)));
    if (shown.length > 1) drawPlot(pen, plot, chart, shown);
    else pen.text(plot.x + 12, plot.y + 18, 'Waiting for update', { color: theme.muted });
    pen.line(plot.x + plot.width, plot.y, plot.x + plot.width, plot.y + plot.height, theme.line);
    pen.line(plot.x, plot.y + plot.height, plot.x + plot.width, plot.y + plot.height, theme.line);
    pen.outline(box, theme.line);
  });
};

const drawPlot = (pen: Pen, plot: Box, chart: ChartView, candles: readonly Candle[]): void => {
  const { bid, digits } = chart;
  const scale = toScale(candles, bid, plot);
  const toX = (index: number): number =>
    plot.x + plot.width - RIGHT_MARGIN - (candles.length - 1 - index) * CANDLE_STEP;
  drawPriceAxis(pen, plot, scale, chart);
  drawTimeAxis(pen, plot, candles, toX);
  candles.forEach((candle, index) => drawCandle(pen, toX(index), candle, scale));
  if (bid !== undefined) drawBid(pen, plot, bid, scale, digits);
};
