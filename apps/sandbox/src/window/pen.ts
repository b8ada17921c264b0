import { createRequire } from 'node:module';
import { createCanvas, GlobalFonts, type Canvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Box } from './box.ts';
import type { ImageSize } from './model.ts';

/** The colours of the window, in one place: a quiet dark ground, so that prices and warnings are what stands out. */
export const theme = {
  title: '#0b1220',
  bar: '#111b2b',
  panel: '#131e2f',
  panelHead: '#182538',
  chart: '#0d1522',
  line: '#22314a',
  grid: '#1a2638',
  text: '#d9e2ef',
  muted: '#8493aa',
  faint: '#56657d',
  watermark: '#152134',
  accent: '#5aa9ff',
  up: '#35c28f',
  down: '#f0596b',
  warning: '#f2b84b',
  button: '#1d2c43',
} as const;

const SANS = 'Berth Sans';
const MONO = 'Berth Mono';

const FONTS = [
  ['@fontsource/dejavu-sans/files/dejavu-sans-latin-400-normal.woff2', SANS],
  ['@fontsource/dejavu-sans/files/dejavu-sans-latin-700-normal.woff2', SANS],
  ['@fontsource/dejavu-mono/files/dejavu-mono-latin-400-normal.woff2', MONO],
] as const;

const require = createRequire(import.meta.url);
for (const [file, family] of FONTS) GlobalFonts.registerFromPath(require.resolve(file), family);

export interface TextStyle {
  color?: string;
  size?: number;
  bold?: boolean;
  mono?: boolean;
  align?: 'left' | 'right' | 'center';
  /** Longer text is cut and ends in an ellipsis. */
  maxWidth?: number;
}

/** Draws the few shapes that a terminal's window is made of. */
export class Pen {
  readonly #canvas: Canvas;
  readonly #context: SKRSContext2D;
  /** The image's area in drawing units. */
  readonly area: Box;

  /** @param scale drawing units are this many pixels, so that a large image stays readable. */
  constructor({ width, height }: ImageSize, scale: number) {
    this.#canvas = createCanvas(width, height);
    this.#context = this.#canvas.getContext('2d');
    this.#context.scale(scale, scale);
    this.#context.textBaseline = 'middle';
    this.area = { x: 0, y: 0, width: width / scale, height: height / scale };
  }

  fill({ x, y, width, height }: Box, color: string, radius = 0): void {
    this.#context.fillStyle = color;
    this.#context.beginPath();
    this.#context.roundRect(x, y, width, height, radius);
    this.#context.fill();
  }

  outline({ x, y, width, height }: Box, color: string, radius = 0): void {
    this.#context.strokeStyle = color;
    this.#context.lineWidth = 1;
    this.#context.beginPath();
    this.#context.roundRect(Math.round(x) + 0.5, Math.round(y) + 0.5, width - 1, height - 1, radius);
    this.#context.stroke();
  }

  line(x1: number, y1: number, x2: number, y2: number, color: string, dash: number[] = []): void {
    const context = this.#context;
    context.strokeStyle = color;
    context.lineWidth = 1;
    context.setLineDash(dash);
    context.beginPath();
    context.moveTo(Math.round(x1) + 0.5, Math.round(y1) + 0.5);
    context.lineTo(Math.round(x2) + 0.5, Math.round(y2) + 0.5);
    context.stroke();
    context.setLineDash([]);
  }

  disc(x: number, y: number, radius: number, color: string): void {
    this.#context.fillStyle = color;
    this.#context.beginPath();
    this.#context.arc(x, y, radius, 0, Math.PI * 2);
    this.#context.fill();
  }

  arc(x: number, y: number, radius: number, from: number, to: number, color: string, width = 1): void {
    this.#context.strokeStyle = color;
    this.#context.lineWidth = width;
    this.#context.beginPath();
    this.#context.arc(x, y, radius, from, to);
    this.#context.stroke();
  }

  triangle(points: [number, number][], color: string): void {
    this.#context.fillStyle = color;
    this.#context.beginPath();
    for (const [x, y] of points) this.#context.lineTo(x, y);
    this.#context.fill();
  }

  /** Writes one line, its middle at y. Returns its width. */
  text(x: number, y: number, text: string, style: TextStyle = {}): number {
    const context = this.#context;
    this.#setFont(style);
    context.textAlign = style.align ?? 'left';
    context.fillStyle = style.color ?? theme.text;
    const shown = this.#cut(text, style.maxWidth);
    context.fillText(shown, x, y);
    return context.measureText(shown).width;
  }

  measure(text: string, style: TextStyle = {}): number {
    this.#setFont(style);
    return this.#context.measureText(text).width;
  }

  /** Keeps what is drawn meanwhile inside a box. */
  within({ x, y, width, height }: Box, draw: () => void): void {
    this.#context.save();
    this.#context.beginPath();
    this.#context.rect(x, y, width, height);
    this.#context.clip();
    draw();
    this.#context.restore();
  }

  toPng(): Promise<Buffer> {
    return this.#canvas.encode('png');
  }

  #setFont({ size = 12, bold, mono }: TextStyle): void {
    this.#context.font = `${bold ? 'bold ' : ''}${size}px "${mono ? MONO : SANS}"`;
  }

  #cut(text: string, maxWidth = Infinity): string {
    if (this.#context.measureText(text).width <= maxWidth) return text;
    let end = text.length;
    while (end > 0 && this.#context.measureText(`${text.slice(0, end)}…`).width > maxWidth) end -= 1;
    return `${text.slice(0, end)}…`;
  }
}
