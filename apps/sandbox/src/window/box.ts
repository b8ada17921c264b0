/** A rectangle of the image, in pixels. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Cuts a box in two from its top; a cut that is larger than the box takes all of it. */
export const cutTop = (box: Box, height: number): [top: Box, rest: Box] => {
  const cut = Math.min(height, box.height);
  return [
    { ...box, height: cut },
    { ...box, y: box.y + cut, height: box.height - cut },
  ];
};

export const cutBottom = (box: Box, height: number): [rest: Box, bottom: Box] => cutTop(box, box.height - height);

export const cutLeft = (box: Box, width: number): [left: Box, rest: Box] => {
  const cut = Math.min(width, box.width);
  return [
    { ...box, width: cut },
    { ...box, x: box.x + cut, width: box.width - cut },
  ];
};

/** Splits a box into a grid of equal tiles that is as square as the count allows; the last row is stretched. */
export const toTiles = (box: Box, count: number): Box[] => {
  const columns = Math.ceil(Math.sqrt(count));
  const rows = Math.ceil(count / columns);
  return Array.from({ length: count }, (_, index) => {
    const row = Math.floor(index / columns);
    const inRow = row === rows - 1 ? count - columns * (rows - 1) : columns;
    const width = box.width / inRow;
    const height = box.height / rows;
    return { x: box.x + (index % columns) * width, y: box.y + row * height, width, height };
  });
};
