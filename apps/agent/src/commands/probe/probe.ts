import { CommandError, EXIT, UsageError, hang, type Page } from '@berth/command';
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { findBase, getCurrentBase, type Base } from '../../bases/bases.ts';
import { BaseBox } from '../prepare-base/base-box.ts';
import { type HostCommand, type HostCall, findPlatformOption, type RealPlatform } from '../host-command.ts';
import { REAL_WAITS } from '../../platforms/metatrader/editions/real/real-edition.ts';
import { findAccount, type ProbeAccount } from './account.ts';
import { accountPoints } from './account-points.ts';
import { filePoints } from './file-points.ts';
import { linkPoints } from './link-points.ts';
import type { Finding, Point, Trial } from './point.ts';
import { ProbeTerminal } from './probe-terminal.ts';
import { createRedaction, toMarkdown, toReportPoint, type ProbeReport } from './report.ts';
import { startPoints } from './start-points.ts';

/** Logins have come after three minutes. */
const DEFAULT_PATIENCE_SECONDS = REAL_WAITS.loginSilenceMs / 1000;

const usage = `Usage: script/agent probe [--platform mt5|mt4] [--base NAME] [--account FILE] [--to DIR] [--patience SECONDS]
                          [--only POINT,...] [--json]

Tries on a terminal of your own what nobody has tried on a real MetaTrader yet, one point after the other, and writes a
report that you can send back: docs/hosts.md says where to. The terminal is a copy of a base; it is removed in the end.

It asks for a demo account: at a window, in three lines of stdin (login, password, server), or in a file with
BERTH_PROBE_LOGIN=, BERTH_PROBE_PASSWORD= and BERTH_PROBE_SERVER=. Take one that you can throw away. Without one, what
needs it is left out. Neither login nor password, server or addresses get into the report: look through it all the same.

  --platform   which terminal (mt5)
  --base       of which base (the one that is chosen)
  --account    the file with the demo account; it never is an argument, which others on the machine could read
  --to         where to write probe.json and probe.md (a folder probe-<time> here)
  --patience   how long to wait for what should come (${DEFAULT_PATIENCE_SECONDS}: a first login may take that long)
  --only       some points alone, by their names
  --json       for programs: the report

Exit codes: 0 no point was otherwise than expected, 1 one was, or none could be tried, 2 the arguments are wrong.
`;

const allPoints = [...startPoints, ...accountPoints, ...linkPoints, ...filePoints];

const getPoints = (only: string | undefined): readonly Point[] => {
  if (only === undefined) return allPoints;
  const names = only.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !allPoints.some(({ id }) => id === name));
  if (unknown === undefined) return allPoints.filter(({ id }) => names.includes(id));
  throw new UsageError(`There is no point "${unknown}". There are ${allPoints.map(({ id }) => id).join(', ')}.`);
};

const getPatience = (text: string | undefined): number => {
  const seconds = Number(text ?? DEFAULT_PATIENCE_SECONDS);
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= 3600) return seconds * 1000;
  throw new UsageError('--patience takes seconds, from 1 to 3600.');
};

const getBase = async ({ options, settings }: HostCall, platform: RealPlatform): Promise<Base> => {
  if (options.base === undefined) return getCurrentBase(settings.basesFolder, platform);
  const base = await findBase(settings.basesFolder, platform, String(options.base));
  if (base) return base;
  throw new CommandError(
    `There is no base "${options.base}" for ${platform}. script/agent bases lists those that there are.`,
  );
};

/** One point that fails must not hide the others. */
const tryPoint = async (point: Point, trial: Trial, signal: AbortSignal): Promise<Finding> => {
  if (point.needsAccount === true && !trial.account) return { outcome: 'not tried', seen: ['No account was given.'] };
  try {
    return await point.run(trial);
  } catch (error) {
    signal.throwIfAborted();
    return { outcome: 'unclear', seen: [`It could not be tried: ${(error as Error).message}`] };
  }
};

const tryAll = async (call: HostCall, points: readonly Point[], base: Base, account: ProbeAccount | undefined) => {
  const { settings, signal, say, options } = call;
  const platform = base.record.platform === 'mt4' ? 'mt4' : 'mt5';
  const folder = join(settings.directory, 'probe', randomUUID());
  await mkdir(folder, { recursive: true });
  const box = new BaseBox(folder, platform, settings, signal);
  const patienceMs = getPatience(options.patience as string | undefined);
  const terminal = new ProbeTerminal({ box, platform, patienceMs, signal });
  const redact = createRedaction(account);
  const found: ProbeReport['points'] = [];
  try {
    await box.install(base.folder);
    for (const point of points) {
      say(`${point.title} ...`);
      found.push(toReportPoint(point, await tryPoint(point, { terminal, account }, signal), redact));
    }
  } finally {
    await box.remove();
  }
  return found;
};

const toText = ({ points }: ProbeReport, folder: string, page: Page): string => {
  const lines = points.flatMap(({ outcome, title }) =>
    hang(`  ${outcome.padEnd('as expected'.length)}  `, title, page.width),
  );
  return [
    ...lines,
    '',
    `The report: ${join(folder, 'probe.md')}, and probe.json beside it.`,
    'Look through it, then send it back as docs/hosts.md says.',
    '',
  ].join('\n');
};

/** `script/agent probe` */
export const probe: HostCommand = {
  usage,
  options: {
    platform: { type: 'string' },
    base: { type: 'string' },
    account: { type: 'string' },
    to: { type: 'string' },
    patience: { type: 'string' },
    only: { type: 'string' },
  },
  positionals: { min: 0, max: 0 },
  async run(call) {
    const { options, settings, window, page } = call;
    const platform = findPlatformOption(options.platform) ?? 'mt5';
    const points = getPoints(options.only as string | undefined);
    getPatience(options.patience as string | undefined);
    const base = await getBase(call, platform);
    const account = await findAccount(options.account as string | undefined, window);
    const time = new Date().toISOString();
    const folder = resolve(
      String(options.to ?? `probe-${time.slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')}`),
    );
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const report: ProbeReport = {
      version: 1,
      berth: settings.version,
      platform,
      build: base.record.build,
      wine: base.record.wine_version,
      isolation: settings.wine.isolation,
      at: time,
      points: await tryAll(call, points, base, account),
    };
    await writeFile(join(folder, 'probe.json'), `${JSON.stringify(report, null, 2)}\n`, { mode: 0o600 });
    await writeFile(join(folder, 'probe.md'), toMarkdown(report), { mode: 0o600 });
    const isFine = report.points.every(({ outcome }) => outcome !== 'otherwise');
    return {
      exitCode: isFine ? EXIT.fine : EXIT.failed,
      text: toText(report, folder, page),
      json: { ok: isFine, folder, report },
    };
  },
};
