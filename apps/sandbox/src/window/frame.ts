import type { Box } from './box.ts';
import type { WindowModel } from './model.ts';
import { drawPane } from './side-panes.ts';
import { type Pen, theme } from './pen.ts';

const PERIOD_BUTTONS = ['M1', 'M5', 'M15', 'M30', 'H1', 'H4', 'D1', 'W1', 'MN1'];
const ROW_HEIGHT = 18;
const BARS = 5;

/** 12345.6 as `12 345.60`, the way terminals write money. */
const toMoney = (amount: number): string => amount.toFixed(2).replace(/\B(?=(\d{3})+(?!\d))/g, ' ');

export const drawTitleBar = (pen: Pen, box: Box, { title }: WindowModel): void => {
  pen.fill(box, theme.title);
  const y = box.y + box.height / 2;
  pen.fill({ x: box.x + 10, y: y - 7, width: 14, height: 14 }, theme.accent, 3);
  pen.line(box.x + 14, y - 3, box.x + 14, y + 3, theme.title);
  pen.line(box.x + 17, y - 5, box.x + 17, y + 1, theme.title);
  pen.line(box.x + 20, y - 1, box.x + 20, y + 5, theme.title);
  const right = box.x + box.width;
  pen.text(box.x + 34, y, title, { size: 12.5, bold: true, maxWidth: box.width - 150 });
  const close = right - 22;
  pen.line(close - 62, y, close - 52, y, theme.muted);
  pen.outline({ x: close - 33, y: y - 5, width: 11, height: 11 }, theme.muted);
  pen.text(close + 3, y - 1, '×', { size: 17, align: 'center', color: theme.muted });
};

const drawAlgoButton = (pen: Pen, x: number, box: Box, isOn: boolean): number => {
  const color = isOn ? theme.up : theme.down;
  const button = { x, y: box.y + 6, width: 132, height: box.height - 12 };
  pen.fill(button, theme.button, 5);
  pen.outline(button, color, 5);
  const y = box.y + box.height / 2;
  pen.disc(x + 16, y, 7, color);
  if (isOn) {
    pen.triangle(
      [
        [x + 14, y - 4],
        [x + 20, y],
        [x + 14, y + 4],
      ],
      theme.title,
    );
  } else pen.fill({ x: x + 13, y: y - 3, width: 6, height: 6 }, theme.title);
  pen.text(x + 31, y, 'Algo Trading', { size: 12, bold: true });
  return x + button.width;
};

const drawPeriods = (pen: Pen, left: number, box: Box, chosen: string | undefined): void => {
  PERIOD_BUTTONS.forEach((period, index) => {
    const button = { x: left + index * 40, y: box.y + 8, width: 36, height: box.height - 16 };
    const isChosen = period === chosen;
    if (isChosen) pen.fill(button, theme.accent, 4);
    const style = { size: 11, bold: isChosen, align: 'center', color: isChosen ? theme.title : theme.muted } as const;
    pen.text(button.x + button.width / 2, box.y + box.height / 2, period, style);
  });
};

/** The toolbar: the Algo Trading switch, the first chart's period, what the account holds. */
export const drawToolbar = (pen: Pen, box: Box, { algoTrading, charts, account }: WindowModel): void => {
  pen.fill(box, theme.bar);
  const right = drawAlgoButton(pen, box.x + 8, box, algoTrading);
  if (box.width > 900) drawPeriods(pen, right + 20, box, charts[0]?.period);
  if (!account || box.width < 480) return;
  const y = box.y + box.height / 2;
  const end = box.x + box.width - 14;
  const terms = `1:${account.leverage}  ·  ${account.kind}`;
  const width = pen.text(end, y, terms, { size: 11.5, align: 'right', color: theme.muted });
  const balance = `${toMoney(account.balance)} ${account.currency}`;
  pen.text(end - width - 16, y, balance, { size: 13, bold: true, align: 'right', maxWidth: 200 });
};

const LEVEL_COLORS = [theme.accent, theme.warning, theme.down];

/** The journal's last lines, as many as fit. */
export const drawToolbox = (pen: Pen, box: Box, { journal }: WindowModel): void => {
  const body = drawPane(pen, box, 'Journal');
  const room = Math.floor((body.height - 6) / ROW_HEIGHT);
  journal.slice(-room).forEach(({ time, source, message, level }, row) => {
    const y = body.y + 4 + row * ROW_HEIGHT + ROW_HEIGHT / 2;
    pen.disc(body.x + 14, y, 3, LEVEL_COLORS[level] ?? theme.muted);
    pen.text(body.x + 26, y, time, { size: 11, mono: true, color: theme.muted });
    pen.text(body.x + 124, y, source, { size: 11, color: theme.muted, maxWidth: 80 });
    const maxWidth = body.width - 226;
    pen.text(body.x + 212, y, message, { size: 11, maxWidth, color: level === 2 ? theme.down : theme.text });
  });
};

const toBarCount = (pingMs: number): number => [5, 20, 60, 150].filter((limit) => pingMs < limit).length + 1;

/** The status bar: the build at the left, the link to the server at the right. */
export const drawStatusBar = (pen: Pen, box: Box, { build, connection, account, now }: WindowModel): void => {
  pen.fill(box, theme.title);
  const y = box.y + box.height / 2;
  const isOnline = connection.pingMs !== undefined;
  const style = { size: 11, color: theme.muted };
  if (box.width > 700) {
    const about = `Berth Sandbox build ${build}  ·  a simulated terminal, no real market`;
    pen.text(box.x + 12, y, about, { ...style, maxWidth: box.width / 2 });
  }
  const bars = isOnline ? toBarCount(connection.pingMs ?? 0) : 0;
  const left = box.x + box.width - 14 - BARS * 5;
  for (let bar = 0; bar < BARS; bar += 1) {
    const height = 4 + bar * 2;
    const color = bar < bars ? theme.up : isOnline ? theme.line : theme.down;
    pen.fill({ x: left + bar * 5, y: y + 6 - height, width: 3, height }, color);
  }
  const text = isOnline ? `${connection.pingMs?.toFixed(2)} ms` : 'No connection';
  const textStyle = { size: 11, align: 'right', color: isOnline ? theme.up : theme.down } as const;
  const width = pen.text(left - 10, y, text, textStyle);
  const where = [account ? connection.server : '', now.toISOString().slice(0, 19).replace('T', ' ')].filter(Boolean);
  const maxWidth = Math.max(0, box.width / 2 - width - 60);
  if (box.width > 500) pen.text(left - width - 26, y, where.join('  ·  '), { ...style, align: 'right', maxWidth });
};
