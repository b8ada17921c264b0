import { FileRefusedError, type TaskFiles } from '../../driver.ts';
import type { ScreenshotRequest } from '../edition.ts';
import { toCaption } from '../files/period.ts';
import type { ProfileChart } from '../files/profile.ts';
import { StepFailure } from '../step-failure.ts';
import { isChartCalled } from './select-charts.ts';
import { assertRunning, type TaskHandler, type TaskRun } from './task-run.ts';

const DEFAULT_WIDTH = 1280;
const DEFAULT_HEIGHT = 800;
const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const PNG_HEADER_BYTES = 24;

export interface Screenshot {
  png: Buffer;
  size: { width: number; height: number };
}

/** The screenshot's size according to its own header. Throws E_UNSUPPORTED for anything but a PNG. */
export const toPngSize = (png: Buffer): { width: number; height: number } => {
  const isPng = png.length >= PNG_HEADER_BYTES && png.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE);
  if (!isPng) throw new StepFailure('E_UNSUPPORTED', 'The screen of the terminal gave no screenshot.');
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
};

/**
 * How to find the chart on the screen. Which of the captions a window with a long period has depends on the build.
 * Pure.
 */
export const toChartOnScreen = (
  chart: Pick<ProfileChart, 'file' | 'symbol' | 'period'>,
): NonNullable<ScreenshotRequest['chart']> => ({
  file: chart.file,
  captions: [toCaption(chart), `${chart.symbol},${chart.period ?? ''}`],
});

const findChart = async ({ terminal, payload }: TaskRun<'SCREENSHOT'>): Promise<ScreenshotRequest['chart']> => {
  const { chart_id: id } = payload;
  if (id === undefined) return null;
  const chart = (await terminal.home.profile.listCharts()).find((each) => isChartCalled(each, id));
  if (!chart)
    throw new StepFailure('E_FILE', `The terminal has no chart ${id}. Leave chart_id out for the whole window.`);
  return toChartOnScreen(chart);
};

/** A terminal's screen has a size of its own, and no screenshot is larger. Pure. */
const toCaptureMessage = (size: Screenshot['size'], { width = 0, height = 0 }: Partial<Screenshot['size']>): string => {
  const message = `The screen was captured, ${size.width} x ${size.height}.`;
  return size.width < width || size.height < height
    ? `${message} That is less than was asked for: the terminal's screen shows no more.`
    : message;
};

/** Takes the screenshot as a step. */
export const captureScreen = (run: TaskRun<'SCREENSHOT'>) =>
  run.steps.run('capture_screen', async () => {
    const { terminal, payload } = run;
    assertRunning(terminal);
    const { width = DEFAULT_WIDTH, height = DEFAULT_HEIGHT } = payload;
    const chart = await findChart(run);
    const png = await terminal.window.capture({ width, height, chart });
    const screenshot = toScreenshot(png);
    const { size } = screenshot;
    return { message: toCaptureMessage(size, payload), ...screenshot };
  });

/** Refusals of an upload that somebody can do something about. */
const uploadRefusals: Record<string, string> = {
  storage_quota: 'The storage of the account is full. Delete files or screenshots, and repeat the task.',
  attempt_quota: 'The screenshot is larger than the service takes. Ask for a smaller one.',
};

const toUploadFailure = (error: unknown): unknown => {
  const text = error instanceof FileRefusedError ? uploadRefusals[error.code ?? ''] : undefined;
  return text === undefined ? error : new StepFailure('E_DISK', text, { cause: error });
};

/** A screenshot with its own size. Throws E_UNSUPPORTED for anything but a PNG. */
export const toScreenshot = (png: Buffer): Screenshot => ({ png, size: toPngSize(png) });

/** @returns the value of a step's `data.file` */
export const uploadPng = async (files: TaskFiles, task: TaskRun['task'], { png, size }: Screenshot) => {
  const { id, url, sha256, size: bytes, type } = await files.upload(`screenshot-${task.terminal.id}.png`, png);
  return { id, url, sha256, bytes, ...size, type };
};

/** Uploads the screenshot as the last step, whose data contains the file and any further fields given. */
export const uploadScreenshot = (
  { files, steps, task }: TaskRun<'SCREENSHOT'>,
  screenshot: Screenshot,
  further: Record<string, unknown> = {},
) =>
  steps.run('upload_file', async () => {
    const file = await uploadPng(files, task, screenshot).catch((error: unknown) => {
      throw toUploadFailure(error);
    });
    return { message: 'Screenshot taken.', data: { file, ...further } };
  });

/** SCREENSHOT */
export const screenshot: TaskHandler<'SCREENSHOT'> = async (run) => {
  await uploadScreenshot(run, await captureScreen(run));
};
