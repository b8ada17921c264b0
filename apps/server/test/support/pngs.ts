/** Screenshots as hosts upload them, written by other code than that which reads them. */
import { crc32, deflateSync, inflateSync } from 'node:zlib';

export const toChunk = (type: string, content: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
};

interface Shape {
  width: number;
  height: number;
  colorType?: number;
  interlace?: number;
  raw?: Buffer;
}

const pixelBytes: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** A PNG whose rows are filtered in all five ways, one after the other; grey 200 everywhere. */
export const toPng = ({ width, height, colorType = 6, interlace = 0, raw }: Shape): Buffer => {
  const step = pixelBytes[colorType] ?? 1;
  const row = Buffer.alloc(width * step, colorType === 3 ? 1 : 200);
  const rows = Array.from({ length: height }, (_, y) => {
    const filter = y % 5;
    const filtered = Buffer.alloc(row.length);
    for (let at = 0; at < row.length; at += 1) {
      const left = at >= step ? row[at - step]! : 0;
      const up = y > 0 ? row[at]! : 0;
      const corner = at >= step && y > 0 ? row[at - step]! : 0;
      const guess = left + up - corner;
      const [a, b, c] = [left, up, corner].map((value) => Math.abs(guess - value)) as [number, number, number];
      const nearest = a <= b && a <= c ? left : b <= c ? up : corner;
      filtered[at] = row[at]! - [0, left, up, (left + up) >> 1, nearest][filter]!;
    }
    return Buffer.concat([Buffer.from([filter]), filtered]);
  });
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, colorType, 0, 0, interlace]);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  const palette = colorType === 3 ? [toChunk('PLTE', Buffer.from([0, 0, 0, 200, 200, 200]))] : [];
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    toChunk('IHDR', head),
    ...palette,
    toChunk('IDAT', deflateSync(raw ?? Buffer.concat(rows))),
    toChunk('IEND', Buffer.alloc(0)),
  ]);
};

/** Size and colours of a small PNG, whose rows contain the difference to the pixel on the left. */
export const look = (png: Buffer) => {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const at = png.indexOf('IDAT');
  const rows = inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)));
  const colours = new Set<number>();
  for (let y = 0; y < height; y += 1) {
    let value = 0;
    for (let x = 0; x < width; x += 1) {
      value = (value + rows[y * (width * 3 + 1) + 1 + x * 3]!) & 255;
      colours.add(value);
    }
  }
  return { width, height, colours: [...colours] };
};
