import { toFinding, type Point } from './point.ts';

const ID = '131000000000009';
const CHART = [
  '<chart>',
  `id=${ID}`,
  'symbol=EURUSD',
  'period_type=1',
  'period_size=1',
  'windows_total=1',
  '<window>',
].concat(
  ['height=100.000000', 'objects=0', '<indicator>', 'name=Main', 'path=', 'apply=1', 'show_data=1', 'expertmode=0'],
  ['fixed_height=-1', '</indicator>', '</window>', '</chart>', ''],
);

const toWide = (lines: readonly string[]): Buffer => Buffer.from(`\ufeff${lines.join('\r\n')}`, 'utf16le');

/** What a terminal does with files that are placed in its folder. */
export const filePoints: readonly Point[] = [
  {
    id: 'chart',
    title: 'A chart of a few lines is opened and keeps its number',
    tried: 'Put one chart into the profile "Default", started and closed the terminal, and read the chart again.',
    async run({ terminal }) {
      if (terminal.platform !== 'mt5') return { outcome: 'not tried', seen: ['This is written for MetaTrader 5.'] };
      const profile = `${terminal.root}/MQL5/Profiles/Charts/Default`;
      await terminal.put(toWide(CHART), `${profile}/chart01.chr`);
      await terminal.put(toWide(['chart01.chr', '']), `${profile}/order.wnd`);
      await terminal.start();
      const titles = await terminal.titles();
      await terminal.close();
      const script = 'cat "$1"/*.chr | tr -d "\\000\\r" | grep -E "^(id|symbol|period)" | head -20';
      const text = await terminal.run(script, profile);
      const size = Number(await terminal.run('stat -c %s "$1"/chart01.chr', profile));
      // A chart that is byte for byte the same was most likely never opened.
      const isKept = size === toWide(CHART).length ? undefined : text.includes(`id=${ID}`);
      return toFinding(isKept, [...titles.map((title) => `Window: ${title}`), ...text.split('\n').filter(Boolean)]);
    },
  },
  {
    id: 'web-request',
    title: 'Where it keeps the list of allowed URLs',
    tried: 'Looked for the keys in its options after a clean stop.',
    async run({ terminal }) {
      const script =
        'for file in "$1"/[Cc]onfig/*.ini "$1"/MQL5/experts.dat; do [ -f "$file" ] || continue; ' +
        'count=$(tr -d "\\000" <"$file" | grep -a -c WebRequest); echo "$(basename "$file"): $count"; done';
      const lines = (await terminal.run(script, terminal.root)).split('\n').filter(Boolean).slice(0, 20);
      return toFinding(undefined, lines);
    },
  },
  {
    id: 'live-update',
    title: 'Whether it updated itself meanwhile',
    tried: 'Looked for LiveUpdate in the journal, and for the folders of its downloads.',
    async run({ terminal }) {
      const script =
        'cat "$1"/[Ll]ogs/*.log | tr -d "\\000" | grep -a LiveUpdate | tail -5; find "$2"/users -iname webinstall -o -iname liveupdate';
      const lines = (await terminal.run(script, terminal.root, terminal.box.insideHome)).split('\n').filter(Boolean);
      return toFinding(undefined, lines.length > 0 ? lines.slice(0, 20) : ['Nothing of the kind.']);
    },
  },
];
