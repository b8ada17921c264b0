import { cutTop, type Box } from './box.ts';
import type { QuoteView, WindowModel } from './model.ts';
import { type Pen, theme } from './pen.ts';

const HEAD_HEIGHT = 24;
const ROW_HEIGHT = 20;

/** A pane with its heading. Returns the room below it. */
export const drawPane = (pen: Pen, box: Box, heading: string, note = ''): Box => {
  const [head, body] = cutTop(box, HEAD_HEIGHT);
  pen.fill(box, theme.panel);
  pen.fill(head, theme.panelHead);
  const width = pen.text(head.x + 10, head.y + HEAD_HEIGHT / 2, heading, { size: 11, bold: true });
  pen.text(head.x + head.width - 10, head.y + HEAD_HEIGHT / 2, note, {
    size: 10.5,
    align: 'right',
    color: theme.muted,
    maxWidth: head.width - width - 30,
  });
  pen.outline(box, theme.line);
  return body;
};

const drawDirection = (pen: Pen, x: number, y: number, direction: number): void => {
  const color = direction > 0 ? theme.up : theme.down;
  const tip = direction > 0 ? -4 : 4;
  if (direction === 0) pen.disc(x, y, 2, theme.faint);
  else {
    const base = y - tip / 2;
    pen.triangle(
      [
        [x - 4, base],
        [x + 4, base],
        [x, base + tip * 1.4],
      ],
      color,
    );
  }
};

const drawQuote = (pen: Pen, box: Box, row: number, { symbol, digits, bid, ask, direction }: QuoteView): void => {
  const y = box.y + row * ROW_HEIGHT + ROW_HEIGHT / 2;
  const color = direction > 0 ? theme.up : direction < 0 ? theme.down : theme.text;
  if (row % 2 === 1)
    pen.fill({ ...box, x: box.x + 1, width: box.width - 2, y: y - ROW_HEIGHT / 2, height: ROW_HEIGHT }, theme.bar);
  drawDirection(pen, box.x + 14, y, direction);
  pen.text(box.x + 26, y, symbol, { size: 11.5, maxWidth: 70 });
  const price = (value: number | undefined): string => value?.toFixed(digits) ?? '-';
  const style = { size: 11, mono: true, align: 'right', color } as const;
  pen.text(box.x + box.width - 82, y, price(bid), style);
  pen.text(box.x + box.width - 10, y, price(ask), style);
};

/** The quotes. When there are more than fit, the last row says how many. */
export const drawMarketWatch = (pen: Pen, box: Box, { quotes, symbolCount }: WindowModel): void => {
  const body = drawPane(pen, box, 'Market Watch', symbolCount > 0 ? `${quotes.length} / ${symbolCount}` : '');
  const [columns, rows] = cutTop(body, ROW_HEIGHT);
  const y = columns.y + ROW_HEIGHT / 2;
  const style = { size: 10.5, color: theme.muted };
  pen.text(columns.x + 26, y, 'Symbol', style);
  pen.text(columns.x + columns.width - 82, y, 'Bid', { ...style, align: 'right' });
  pen.text(columns.x + columns.width - 10, y, 'Ask', { ...style, align: 'right' });
  pen.line(columns.x, columns.y + ROW_HEIGHT, columns.x + columns.width, columns.y + ROW_HEIGHT, theme.line);
  const room = Math.floor((rows.height - 2) / ROW_HEIGHT);
  const fits = quotes.length <= room;
  const shown = quotes.slice(0, fits ? room : Math.max(0, room - 1));
  shown.forEach((quote, row) => drawQuote(pen, rows, row, quote));
  const moreY = rows.y + shown.length * ROW_HEIGHT + ROW_HEIGHT / 2;
  if (!fits && room > 0) pen.text(rows.x + 26, moreY, `… and ${quotes.length - shown.length} more`, style);
};

interface NavigatorRow {
  depth: number;
  text: string;
  color?: string;
  bold?: boolean;
}

const toNavigatorRows = ({ account, charts }: WindowModel): NavigatorRow[] => {
  const accountRows: NavigatorRow[] = account
    ? [
        { depth: 1, text: account.server, color: theme.muted },
        { depth: 2, text: `${account.login}  (${account.kind})`, color: theme.accent },
      ]
    : [{ depth: 1, text: 'not logged in', color: theme.faint }];
  const expertRows = charts.flatMap(({ expert, symbol, period }): NavigatorRow[] =>
    expert
      ? [{ depth: 1, text: `${expert.name}  ${symbol},${period}`, color: expert.active ? theme.up : theme.muted }]
      : [],
  );
  const none: NavigatorRow = { depth: 1, text: 'none on a chart', color: theme.faint };
  return [
    { depth: 0, text: 'Accounts', bold: true },
    ...accountRows,
    { depth: 0, text: 'Expert Advisors', bold: true },
    ...(expertRows.length > 0 ? expertRows : [none]),
  ];
};

export const drawNavigator = (pen: Pen, box: Box, model: WindowModel): void => {
  const body = drawPane(pen, box, 'Navigator');
  pen.within(body, () => {
    toNavigatorRows(model).forEach(({ depth, text, color, bold = false }, row) => {
      const x = body.x + 12 + depth * 14;
      const y = body.y + 14 + row * ROW_HEIGHT;
      const corners: [number, number][] = [
        [x - 2, y - 3],
        [x + 6, y - 3],
        [x + 2, y + 3],
      ];
      if (depth === 0) pen.triangle(corners, theme.muted);
      else pen.disc(x + 2, y, 2.2, color ?? theme.muted);
      const maxWidth = body.x + body.width - x - 20;
      pen.text(x + 12, y, text, { size: 11.5, bold, color: color ?? theme.text, maxWidth });
    });
  });
};
