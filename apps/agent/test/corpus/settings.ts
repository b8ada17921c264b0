import { toNarrow, toWide, type CorpusFile } from './corpus-file.ts';

const COMMON = `[Charts]
ProfileLast=Euro
MaxBars=100000
PrintColor=0
SaveDeleted=0
TradeLevels=1
ObsoleteLasttime=1523445140
[Trades]
SymbolLast=
SymbolDefault=EURUSD
[Experts]
AllowDllImport=1
Enabled=0
Account=1
Profile=1
Chart=0
DisableOpenCL=
WebRequest=0
WebRequestUrl=
[Events]
Enable=0
Email Notify=email.wav
Email NotifyEnable=1
[Common]
Login=70000011
ProxyEnable=0
ProxyAddress=
CertInstall=0
NewsEnable=1
NewsLanguages=
`;

const COMMON_5430 = `[Common]
Login=70000012
Server=Example-Demo
ProxyAuth=
Services=4294967295
NewsEnable=0
Source=download.mql5.com
Environment=0123456789ABCDEF0123456789ABCDEF

[Charts]
ProfileLast=Default
PreloadCharts=1
[Experts]
AllowDllImport=0
Enabled=1
Account=0
Profile=0
Chart=0
Api=0
WebRequest=1
WebRequestUrl=00112233445566778899AABBCCDDEEFF
`;

const WINDOWS = `[Window]
Fullscreen=0
Type=3
LSave=-9
Dlg_133_left=715
[Toolbars]
Toolbar_248=32910,32909,32908,-1,32911,32912,-1,32906,32905,
[ReBarState-Band0]
BandID=59392
[NewsList#5]
#5=0
`;

/** Nothing in it is about the account, and the only \`Experts\` is how a branch of the Navigator is open. */
const MT4_TERMINAL = `[Window]
Type=1
Dlg_172_left=206
NavigatorTab=0
NavigatorTree0=0
[Settings]
LastScanServerTime=1563408060
LastScanServer=Example-Live16
AccountHistoryPath=C:\\Users\\somebody\\Desktop\\Statement.htm
[BarState-Summary]
Bars=14
[Tester]
Expert=Moving Average.ex4
[CodeBasesList]
Experts=1
[NewsList-]

[BarState-Bar12]
BarID=83
MRUFloatXPos=-1
`;

const SERVICES = `<service>
name=Feed Keeper
path=Services\\Feed Keeper.ex5
expertmode=5
enabled=1
<inputs>
InpPort=0
</inputs>
</service>
`;

export const settings: readonly CorpusFile[] = [
  { name: 'mt5-1730-common.ini', kind: 'settings', platform: 'mt5', bytes: toWide(COMMON) },
  { name: 'mt5-5430-common.ini', kind: 'settings', platform: 'mt5', bytes: toWide(COMMON_5430) },
  { name: 'mt5-common-no-last-end.ini', kind: 'settings', platform: 'mt5', bytes: toWide(COMMON_5430.trimEnd()) },
  { name: 'mt5-terminal.ini', kind: 'settings', platform: 'mt5', bytes: toWide(WINDOWS) },
  { name: 'mt5-services.ini', kind: 'settings', platform: 'mt5', bytes: toWide(SERVICES) },
  { name: 'mt4-1170-terminal.ini', kind: 'settings', platform: 'mt4', bytes: toNarrow(MT4_TERMINAL) },
  { name: 'mt4-checked-out-terminal.ini', kind: 'settings', platform: 'mt4', bytes: Buffer.from(MT4_TERMINAL) },
  {
    name: 'mt4-code-page-terminal.ini',
    kind: 'settings',
    platform: 'mt4',
    bytes: toNarrow(MT4_TERMINAL.replace('somebody', 'Andr\u00e9')),
  },
  {
    name: 'mt4-1350-common.ini',
    kind: 'settings',
    platform: 'mt4',
    bytes: toWide('[Common]\nEnvironment=F008C6283604\n'),
  },
  { name: 'mt4-lastprofile.ini', kind: 'settings', platform: 'mt4', bytes: toNarrow('Default\n') },
];
