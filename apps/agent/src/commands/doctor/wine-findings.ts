import { BOTH, type Finding } from './finding.ts';
import type { HostFacts } from './host-facts.ts';
import { findWineVersion, judgeWineVersion, WINE_ADVICE } from './wine-versions.ts';

const toWine = ({ wine: { loader, versionText } }: HostFacts): Finding => {
  const base = { check: 'wine', title: 'Wine' };
  if (loader === undefined) {
    const seen = 'there is no loader for 64-bit programs';
    return { ...base, level: 'problem', seen, advice: WINE_ADVICE, blocks: BOTH, packages: ['wine', 'wine64'] };
  }
  const version = versionText === undefined ? undefined : findWineVersion(versionText);
  if (!version) {
    const seen = `${loader} does not say its version${versionText === undefined ? '' : `: ${versionText}`}`;
    return { ...base, level: 'problem', seen, advice: `Install Wine again. ${WINE_ADVICE}`, blocks: BOTH };
  }
  const { verdict, source } = judgeWineVersion(version);
  const seen = `${versionText} (${loader})`;
  if (verdict === 'good') return { ...base, level: 'ok', seen: `${seen}. ${source}` };
  const title = { old: 'old', untried: 'untried', bad: 'known to fail' }[verdict];
  const advice = `${source} ${WINE_ADVICE}`;
  // A bad version is only a note: the reports contradict each other, and the terminal itself shows which is right.
  return { ...base, level: 'note', seen: `${seen}: ${title}`, advice };
};

const to32Bit = ({ wine: { loader, has32Bit } }: HostFacts): Finding[] => {
  if (loader === undefined) return [];
  const base = { check: 'wine32', title: '32-bit' };
  if (has32Bit) return [{ ...base, level: 'ok', seen: 'Wine runs 32-bit programs' }];
  const advice =
    'MetaTrader 4 needs it, MetaTrader 5 does not: dpkg --add-architecture i386, apt update, apt install wine32:i386.';
  return [{ ...base, level: 'note', seen: 'Wine runs no 32-bit programs', advice, blocks: ['mt4'] }];
};

const toScreen = ({ programs }: HostFacts): Finding[] => {
  const { Xvfb, openbox } = programs;
  return [
    Xvfb === undefined
      ? {
          check: 'xvfb',
          title: 'Screen',
          level: 'problem',
          seen: 'Xvfb is missing',
          advice: 'Each terminal has a screen of its own, which Xvfb keeps. Install it: apt install xvfb.',
          blocks: BOTH,
          packages: ['xvfb'],
        }
      : { check: 'xvfb', title: 'Screen', level: 'ok', seen: Xvfb },
    openbox === undefined
      ? {
          check: 'window-manager',
          title: 'Windows',
          level: 'problem',
          seen: 'openbox, the window manager, is missing',
          advice:
            'Without one, keys do not reach a terminal, and one build made no windows at all. Install it: apt install openbox.',
          blocks: BOTH,
          packages: ['openbox'],
        }
      : { check: 'window-manager', title: 'Windows', level: 'ok', seen: openbox },
  ];
};

const toFonts = ({ fontFiles }: HostFacts): Finding => {
  const base = { check: 'fonts', title: 'Fonts' };
  if (fontFiles > 0) return { ...base, level: 'ok', seen: `${fontFiles} files in /usr/share/fonts` };
  const advice =
    'Screenshots of a terminal would show boxes for letters: apt install fonts-dejavu-core fonts-liberation.';
  const packages = ['fonts-dejavu-core', 'fonts-liberation'];
  return { ...base, level: 'note', seen: 'none in /usr/share/fonts', advice, packages };
};

const toWindowProgram = ({ windowProgram }: HostFacts): Finding => {
  const base = { check: 'window-program', title: 'Dialogs' };
  if (windowProgram === 'fine')
    return { ...base, level: 'ok', seen: 'berth-window.exe is there, and is the one of this release' };
  const isMissing = windowProgram === 'missing';
  const seen = isMissing ? 'berth-window.exe is missing' : 'berth-window.exe is not the one that its checksum names';
  const advice =
    'It reads and presses what a terminal shows. Releases bring it along; in a checkout, script/build-windows builds it.';
  return { ...base, level: 'problem', seen, advice, blocks: BOTH };
};

const toBases = ({ bases }: HostFacts): Finding => {
  const base = { check: 'bases', title: 'Bases' };
  const names = (['mt5', 'mt4'] as const).flatMap((platform) => bases[platform].map((name) => `${platform} ${name}`));
  if (names.length > 0) return { ...base, level: 'ok', seen: names.join(', ') };
  const advice = "Prepare one from a broker's installer: script/agent prepare-base --platform mt5 --installer FILE.";
  return { ...base, level: 'note', seen: 'none yet, and terminals are copies of one', advice };
};

/** Builds of 2026 open a server that can trade. Each start of a terminal closes it; its key remains in an old base. */
const toMcp = ({ bases, basesWithMcp }: HostFacts): Finding[] => {
  const base = { check: 'mcp', title: 'MCP server' };
  if (bases.mt5.length === 0) return [];
  if (basesWithMcp.length === 0) return [{ ...base, level: 'ok', seen: 'closed in all bases, and at each start' }];
  const advice = 'Each start closes it, but terminals share what the base keeps of it: make the base again.';
  return [{ ...base, level: 'note', seen: `open in the bases ${basesWithMcp.join(', ')}`, advice }];
};

/** The findings about Wine and what it needs. Pure. */
export const toWineFindings = (facts: HostFacts): Finding[] =>
  facts.system.platform === 'linux'
    ? [
        toWine(facts),
        ...to32Bit(facts),
        ...toScreen(facts),
        toFonts(facts),
        toWindowProgram(facts),
        toBases(facts),
        ...toMcp(facts),
      ]
    : [];
