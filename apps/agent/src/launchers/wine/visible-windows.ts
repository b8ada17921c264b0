/** What the window program reports about windows. */

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A visible window of the top level. */
export interface VisibleWindow {
  handle: string;
  title: string;
  /** The window that it belongs to, as for a dialog; null for a main window. */
  owner: string | null;
  /** -1 where it is not reported. */
  pid: number;
  /** The file name of its program. */
  program: string;
  rect: Rectangle;
}

/** The program lists a few hundred at most; anything that answers in its place may not. */
const MAX_WINDOWS = 500;

const findRectangle = (value: unknown): Rectangle | undefined => {
  const sides: unknown[] = Array.isArray(value) ? value : [];
  const [x = 0, y = 0, width = 0, height = 0] = sides.map(Number);
  return sides.length === 4 && sides.every(Number.isSafeInteger) ? { x, y, width, height } : undefined;
};

/** Data from a terminal may be anything. @returns undefined for what is not a window. Pure. */
const findWindow = (value: unknown): VisibleWindow | undefined => {
  const { handle, title, owner, pid, program, rect } = (value ?? {}) as Record<string, unknown>;
  const place = findRectangle(rect);
  if (typeof handle !== 'string' || typeof title !== 'string' || !place) return undefined;
  return {
    handle,
    title,
    owner: typeof owner === 'string' ? owner : null,
    pid: Number.isSafeInteger(pid) ? Number(pid) : -1,
    program: typeof program === 'string' ? program : '',
    rect: place,
  };
};

/** The windows in an answer to `windows`; anything else is left out. Pure. */
export const toWindows = (value: unknown): VisibleWindow[] =>
  (Array.isArray(value) ? (value as unknown[]) : []).slice(0, MAX_WINDOWS).flatMap((item) => findWindow(item) ?? []);

/** The windows to be closed to end a terminal. Pure. @param program undefined: of all programs */
export const listMainWindows = (windows: readonly VisibleWindow[], program: string | undefined): VisibleWindow[] =>
  windows.filter(
    (window) =>
      window.owner === null &&
      window.title !== '' &&
      (program === undefined || window.program.toLowerCase() === program.toLowerCase()),
  );

/** The largest of the terminal's own windows with a title: its main window, whatever else it shows. Pure. */
export const findMainWindow = (
  windows: readonly VisibleWindow[],
  program: string | undefined,
): VisibleWindow | undefined => {
  const toArea = ({ rect }: VisibleWindow): number => rect.width * rect.height;
  return listMainWindows(windows, program).toSorted((one, other) => toArea(other) - toArea(one))[0];
};
