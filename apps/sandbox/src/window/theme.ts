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
