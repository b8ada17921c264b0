import { toNarrow, toWide, type CorpusFile } from './corpus-file.ts';

const mt5Head = (id: string, symbol: string, period: string): string => `<chart>
id=${id}
symbol=${symbol}
description=As the broker describes it
${period}
digits=2
tick_size=0.010000
position_time=1764720000
scale_fix=0
scale_fixed_min=23687.810000
scale=16
mode=1
fore=0
grid=1
scroll=0
shift_size=20.515179
window_left=0
window_type=3
floating_tbstate=
background_color=0
stops_color=255
windows_total=2

`;

const mt5Window = `<window>
height=100.000000
objects=1

<indicator>
name=Main
path=
apply=1
show_data=1
scale_fix_max_val=0.000000
expertmode=0
fixed_height=-1
</indicator>

<indicator>
name=Custom Indicator
path=Indicators\\Examples\\ZigZag.ex5
apply=0
expertmode=0
fixed_height=-1

<graph>
name=ZigZag(6,5,3)
draw=4
color=25600
</graph>

<inputs>
InpDepth=6
</inputs>
</indicator>
<object>
type=31
name=autotrade #3 buy 7 IX 100 at 21327.05, SL, profit -11.90, IX 10
hidden=1
descr=sl <21325.35>
date1=1735944880
</object>

</window>
</chart>
`;

const mt5Expert = (mode: number, inputs: string): string => `<expert>
name=Range Rider
path=Experts\\Own\\Range Rider.ex5
expertmode=${mode}
<inputs>
${inputs}</inputs>
</expert>

`;

const SEPARATED = `=== Range ===
InpBars=20
<unnamed>=
InpFactor=2.0
=
InpNote=a=b; c
<unnamed>=
InpMagic=100006
`;

const NARROW_HEAD = `<chart>
id=132103164660000138
symbol=EURUSD.x
period=60
leftpos=7080
digits=5
scale=8
window_right=1504
stops_color=17919

<window>
height=128
fixed_height=0
<indicator>
name=main
<object>
type=1
object_name=Horizontal Line 47914
value_0=1.081850
</object>
</indicator>
<indicator>
name=Custom Indicator
<expert>
name=Sessions
flags=339
window_num=0
<inputs>
Line1=////////////////
Alert.Lv1=1
</inputs>
</expert>
shift_0=0
draw_0=0
period_flags=0
show_data=1
</indicator>
</window>
`;

const narrowChart = (flags: number, note: string): string => `${NARROW_HEAD}
<expert>
name=own\\rider_1_0
flags=${flags}
window_num=0
<inputs>
Lots=0.10
Note=${note}
</inputs>
</expert>
</chart>

`;

const mt5Chart = (name: string, mode: number, inputs: string): CorpusFile => ({
  name,
  kind: 'chart',
  platform: 'mt5',
  bytes: toWide(
    mt5Head('134173973780000960', 'Volatility 75 (1s) Index', 'period_type=1\nperiod_size=24') +
      mt5Expert(mode, inputs) +
      mt5Window,
  ),
});

export const charts: readonly CorpusFile[] = [
  mt5Chart('mt5-5430-separators.chr', 37, SEPARATED),
  ...[1, 5, 33, 35].map((mode) => mt5Chart(`mt5-expertmode-${mode}.chr`, mode, 'InpLots=0.10\n')),
  {
    name: 'mt5-1730-no-expert.chr',
    kind: 'chart',
    platform: 'mt5',
    bytes: toWide((mt5Head('131580000000000042', 'EURUSD', 'period_type=0\nperiod_size=15') + mt5Window).trimEnd()),
  },
  { name: 'mt4-1170-expert.chr', kind: 'chart', platform: 'mt4', bytes: toNarrow(narrowChart(343, 'short')) },
  { name: 'mt4-1350-flags-279.chr', kind: 'chart', platform: 'mt4', bytes: toNarrow(narrowChart(279, 'short')) },
  // "Länge" in the code page of its machine, which is no UTF-8.
  { name: 'mt4-1260-code-page.chr', kind: 'chart', platform: 'mt4', bytes: toNarrow(narrowChart(343, 'L\u00e4nge')) },
  { name: 'mt4-checked-out.chr', kind: 'chart', platform: 'mt4', bytes: Buffer.from(narrowChart(275, 'short')) },
  {
    name: 'mt4-1170-no-expert.CHR',
    kind: 'chart',
    platform: 'mt4',
    bytes: toNarrow(`${NARROW_HEAD.replace('EURUSD.x', 'US 30#m').replace('period=60', 'period=1440')}</chart>\n\n`),
  },
];

export const orders: readonly CorpusFile[] = [
  { name: 'mt5-order.wnd', kind: 'order', platform: 'mt5', bytes: toWide('chart04.chr\nchart01.chr\nchart13.chr\n') },
  { name: 'mt5-empty-order.wnd', kind: 'order', platform: 'mt5', bytes: toWide('') },
  {
    name: 'mt4-order.wnd',
    kind: 'order',
    platform: 'mt4',
    bytes: toNarrow('EURUSD.x,H1\nS&P.fs,M15\nUS 30#m,Daily\nEURUSD.x,H1\n'),
  },
  { name: 'mt4-order-no-last-end.wnd', kind: 'order', platform: 'mt4', bytes: toNarrow('EURUSD.x,H1\nUS 30#m,Daily') },
];
