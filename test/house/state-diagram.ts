/**
 * Draws a state machine as SVG: boxes on a grid that is given, arrows from the machine's own moves. Moves that a whole group
 * of states has in common are one arrow from the group's frame. It has a light and a dark face, and asks for no font file.
 */
interface Frame {
  states: readonly string[];
  to: readonly string[];
  from?: readonly string[];
  /** Space between the frame and its boxes, so that frames can be nested. */
  room?: number;
}

export interface Diagram {
  title: string;
  /** Name → column and row of its box. */
  places: Record<string, readonly [column: number, row: number]>;
  moves: readonly (readonly [from: string, to: string])[];
  /** A frame around these, where all of them may go, and from where one may come to all of them. */
  frames?: readonly Frame[];
  /** States that nothing leaves. */
  finals: readonly string[];
}

const BOX = { width: 132, height: 38, gapX: 84, gapY: 58, margin: 34 };
const FRAME_ROOM = 14;

const STYLE = `text{font:13px ui-sans-serif,system-ui,sans-serif;fill:#1f2933;text-anchor:middle}
rect{fill:#fff;stroke:#52606d;stroke-width:1.3}rect.final{stroke-width:2.6}rect.frame{fill:none;stroke-dasharray:5 5}
path.move{fill:none;stroke:#52606d;stroke-width:1.3;marker-end:url(#head)}path.head{fill:#52606d}
@media(prefers-color-scheme:dark){text{fill:#e4e7eb}rect{fill:#1f2933;stroke:#9aa5b1}
path.move{stroke:#9aa5b1}path.head{fill:#9aa5b1}}`;

interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

const toBox = ([column, row]: readonly [number, number]): Rect => ({
  x: BOX.margin + column * (BOX.width + BOX.gapX),
  y: BOX.margin + row * (BOX.height + BOX.gapY),
  width: BOX.width,
  height: BOX.height,
});

const round = (value: number): number => Math.round(value * 10) / 10;
const centre = ({ x, y, width, height }: Rect) => ({ x: x + width / 2, y: y + height / 2 });

/** Where the line from the middle of the box to a point leaves the box. */
const toEdge = (box: Rect, to: { x: number; y: number }) => {
  const { x, y } = centre(box);
  const [dx, dy] = [to.x - x, to.y - y];
  const scale = Math.min(box.width / 2 / Math.max(1e-6, Math.abs(dx)), box.height / 2 / Math.max(1e-6, Math.abs(dy)));
  return { x: x + dx * scale, y: y + dy * scale };
};

/** A curve that bends to its right, so that the way back is another line, and one past a box in between leaves it free. */
const toArrow = (from: Rect, to: Rect): string => {
  const [a, b] = [centre(from), centre(to)];
  const length = Math.hypot(b.x - a.x, b.y - a.y);
  const isFar = length > 1.3 * (BOX.width + BOX.gapX);
  const bend = isFar ? length * 0.24 : 16;
  const middle = {
    x: (a.x + b.x) / 2 - ((b.y - a.y) / length) * bend,
    y: (a.y + b.y) / 2 + ((b.x - a.x) / length) * bend,
  };
  const [start, end] = [toEdge(from, middle), toEdge(to, middle)];
  const numbers = [start.x, start.y, middle.x, middle.y, end.x, end.y].map(round);
  return `<path class="move" d="M${numbers[0]} ${numbers[1]}Q${numbers[2]} ${numbers[3]} ${numbers[4]} ${numbers[5]}"/>`;
};

const toFrame = (boxes: readonly Rect[], room: number): Rect => {
  const x = Math.min(...boxes.map((box) => box.x)) - room;
  const y = Math.min(...boxes.map((box) => box.y)) - room;
  const right = Math.max(...boxes.map((box) => box.x + box.width)) + room;
  const bottom = Math.max(...boxes.map((box) => box.y + box.height)) + room;
  return { x, y, width: right - x, height: bottom - y };
};

const toRect = ({ x, y, width, height }: Rect, name: string, radius = 8): string =>
  `<rect${name === '' ? '' : ` class="${name}"`} x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}"/>`;

/** Between a box and a frame: straight, `aside` of the line between their middles, so that the way back is another line. */
const toFrameArrow = (box: Rect, frame: Rect, { isInto }: { isInto: boolean }): string => {
  const [a, b] = [centre(box), centre(frame)];
  const aside = isInto ? 12 : -12;
  const isBeside = a.x < frame.x || a.x > frame.x + frame.width;
  const atBox = isBeside
    ? { x: a.x < b.x ? box.x + box.width : box.x, y: a.y + aside }
    : { x: a.x + aside, y: a.y < b.y ? box.y + box.height : box.y };
  const atFrame = isBeside
    ? { x: a.x < b.x ? frame.x : frame.x + frame.width, y: atBox.y }
    : { x: atBox.x, y: a.y < b.y ? frame.y : frame.y + frame.height };
  const [start, end] = isInto ? [atBox, atFrame] : [atFrame, atBox];
  return `<path class="move" d="M${round(start.x)} ${round(start.y)}L${round(end.x)} ${round(end.y)}"/>`;
};

/** The moves that no frame shows. Throws where a frame says more than the machine allows. */
const listSingleMoves = ({ moves, frames = [] }: Diagram): (readonly [string, string])[] => {
  const known = new Set(moves.map((move) => move.join(' ')));
  const framed = new Set(
    frames.flatMap(({ states, to, from = [] }) =>
      states.flatMap((state) => [...to.map((end) => `${state} ${end}`), ...from.map((start) => `${start} ${state}`)]),
    ),
  );
  for (const move of framed) if (!known.has(move)) throw new Error(`the frame shows ${move}, which is no move`);
  return moves.filter((move) => !framed.has(move.join(' ')));
};

export const toSvg = (diagram: Diagram): string => {
  const boxes = Object.fromEntries(Object.entries(diagram.places).map(([name, place]) => [name, toBox(place)]));
  const boxOf = (name: string): Rect => {
    const box = boxes[name];
    if (!box) throw new Error(`${name} has no place in the diagram`);
    return box;
  };
  const all = Object.values(boxes);
  const width = Math.max(...all.map((box) => box.x + box.width)) + BOX.margin;
  const height = Math.max(...all.map((box) => box.y + box.height)) + BOX.margin;
  const frames = (diagram.frames ?? []).flatMap(({ states, to, from = [], room = FRAME_ROOM }) => {
    const frame = toFrame(states.map(boxOf), room);
    return [
      toRect(frame, 'frame', 14),
      ...to.map((end) => toFrameArrow(boxOf(end), frame, { isInto: false })),
      ...from.map((start) => toFrameArrow(boxOf(start), frame, { isInto: true })),
    ];
  });
  const arrows = listSingleMoves(diagram).map(([from, to]) => toArrow(boxOf(from), boxOf(to)));
  const labels = Object.entries(boxes).flatMap(([name, box]) => [
    toRect(box, diagram.finals.includes(name) ? 'final' : ''),
    `<text x="${centre(box).x}" y="${centre(box).y + 4.5}">${name}</text>`,
  ]);
  const head =
    '<defs><marker id="head" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="8" markerHeight="8" orient="auto">' +
    '<path class="head" d="M0 0L8 4L0 8z"/></marker></defs>';
  const open = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-label="${diagram.title}">`;
  return [
    open,
    `<title>${diagram.title}</title>`,
    `<style>${STYLE}</style>`,
    head,
    ...frames,
    ...arrows,
    ...labels,
    '</svg>',
    '',
  ].join('\n');
};
