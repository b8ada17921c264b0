import { cutBottom, cutLeft, cutTop, toTiles, type Box } from './box.ts';
import { drawChartPane } from './chart-pane.ts';
import { drawStatusBar, drawTitleBar, drawToolbar, drawToolbox } from './frame.ts';
import type { ChartView, DialogView, ImageSize, WindowModel } from './model.ts';
import { drawMarketWatch, drawNavigator } from './side-panes.ts';
import { Pen, theme } from './pen.ts';

/** The image in which one drawing unit is one pixel; larger ones are drawn larger, not emptier. */
const NATURAL = { width: 1600, height: 1000 };
const SIDE_WIDTH = 260;

const createPen = (size: ImageSize): Pen =>
  new Pen(size, Math.max(1, Math.min(size.width / NATURAL.width, size.height / NATURAL.height)));

const drawCharts = (pen: Pen, box: Box, { charts, account }: WindowModel): void => {
  pen.fill(box, theme.chart);
  if (charts.length > 0) {
    toTiles(box, charts.length).forEach((tile, index) => {
      const chart = charts[index];
      if (chart) drawChartPane(pen, tile, chart, index === 0);
    });
    return;
  }
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const hint = account ? 'The profile is empty' : 'Log in to an account to see its market';
  pen.text(middle.x, middle.y - 10, 'No charts open', { size: 20, bold: true, align: 'center', color: theme.faint });
  pen.text(middle.x, middle.y + 16, hint, { align: 'center', color: theme.faint });
};

const drawDialog = (pen: Pen, { title, lines, button }: DialogView): void => {
  const { area } = pen;
  const width = Math.min(470, area.width - 20);
  const height = 116 + lines.length * 20;
  const box = { x: (area.width - width) / 2, y: (area.height - height) / 2, width, height };
  pen.fill(area, '#05090fb0');
  pen.fill(box, theme.panel, 6);
  const [head] = cutTop(box, 34);
  pen.fill(head, theme.panelHead, 6);
  pen.outline(box, theme.accent, 6);
  pen.text(box.x + 16, head.y + 17, title, { bold: true, size: 13 });
  lines.forEach((line, row) => pen.text(box.x + 20, box.y + 60 + row * 20, line, { size: 12.5, maxWidth: width - 40 }));
  const ok = { x: box.x + width - 106, y: box.y + height - 44, width: 90, height: 28 };
  pen.fill(ok, theme.accent, 4);
  pen.text(ok.x + 45, ok.y + 14, button, { bold: true, align: 'center', color: theme.title });
};

/** The whole window. Panes that a small image has no room for are left out. */
export const drawWindow = (model: WindowModel, size: ImageSize): Promise<Buffer> => {
  const pen = createPen(size);
  pen.fill(pen.area, theme.chart);
  const [titleBar, belowTitle] = cutTop(pen.area, 32);
  const [toolbar, belowToolbar] = cutTop(belowTitle, 42);
  const [main, statusBar] = cutBottom(belowToolbar, 26);
  const toolboxHeight = main.height < 420 ? 0 : Math.min(190, main.height * 0.26);
  const [upper, toolbox] = cutBottom(main, toolboxHeight);
  const [side, charts] = cutLeft(upper, upper.width < 720 ? 0 : SIDE_WIDTH);
  drawCharts(pen, charts, model);
  if (side.width > 0) {
    const [marketWatch, navigator] = cutTop(side, side.height * 0.58);
    drawMarketWatch(pen, marketWatch, model);
    drawNavigator(pen, navigator, model);
  }
  if (toolboxHeight > 0) drawToolbox(pen, toolbox, model);
  drawTitleBar(pen, titleBar, model);
  drawToolbar(pen, toolbar, model);
  drawStatusBar(pen, statusBar, model);
  if (model.dialog) drawDialog(pen, model.dialog);
  return pen.toPng();
};

/** One chart that fills the image, below the window's title and above its status bar. */
export const drawChart = (model: WindowModel, chart: ChartView, size: ImageSize): Promise<Buffer> => {
  const pen = createPen(size);
  const [titleBar, belowTitle] = cutTop(pen.area, 32);
  const [body, statusBar] = cutBottom(belowTitle, 26);
  drawChartPane(pen, body, chart, true);
  drawTitleBar(pen, titleBar, model);
  drawStatusBar(pen, statusBar, model);
  if (model.dialog) drawDialog(pen, model.dialog);
  return pen.toPng();
};
