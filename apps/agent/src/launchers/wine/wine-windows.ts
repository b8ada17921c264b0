import type { Rectangle } from './frame-buffer.ts';

/** A visible top-level window, as the window program lists it. */
export interface WineWindow {
  handle: string;
  title: string;
  /** The window that it belongs to, as a dialog does; null for a main window. */
  owner: string | null;
  /** The name of the executable. */
  program: string;
  rect: Rectangle;
}

const MAX_WINDOWS = 500;

/** What came out of a box may be anything; what is no window is left out. Pure. */
export const toWindows = (value: unknown): WineWindow[] =>
  (Array.isArray(value) ? (value as unknown[]) : []).slice(0, MAX_WINDOWS).flatMap((item) => {
    const { handle, title, owner, program, rect } = (item ?? {}) as Record<string, unknown>;
    const isNamed = typeof handle === 'string' && typeof title === 'string' && typeof program === 'string';
    const [x, y, width, height] = Array.isArray(rect) ? (rect as unknown[]).map(Number) : [];
    if (!isNamed || ![x, y, width, height].every(Number.isInteger)) return [];
    const place = { x: x!, y: y!, width: width!, height: height! };
    return [{ handle, title, owner: typeof owner === 'string' ? owner : null, program, rect: place }];
  });

const isOf = (window: WineWindow, program: string | undefined): boolean =>
  program === undefined || window.program.toLowerCase() === program.toLowerCase();

/** The windows that a terminal's end is asked for at. Pure. */
export const listMainWindows = (windows: readonly WineWindow[], program: string | undefined): WineWindow[] =>
  windows.filter((window) => window.owner === null && window.title !== '' && isOf(window, program));

/** The largest of the terminal's own windows with a title. Pure. */
export const findMainWindow = (windows: readonly WineWindow[], program: string | undefined): WineWindow | undefined => {
  const toArea = ({ rect }: WineWindow): number => rect.width * rect.height;
  return listMainWindows(windows, program).toSorted((one, other) => toArea(other) - toArea(one))[0];
};
