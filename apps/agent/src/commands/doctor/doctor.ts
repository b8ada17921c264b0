import { EXIT } from '@berth/command';
import { type HostCommand, findPlatformOption, realPlatforms } from '../host-command.ts';
import { gatherHostFacts } from './gather.ts';
import { toMachineFindings } from './machine-findings.ts';
import { toOffers, toTerminalCount } from './offers.ts';
import { toDoctorText } from './report.ts';
import { toIsolationFindings } from './isolation-findings.ts';
import { toWineFindings } from './wine-findings.ts';

const usage = `Usage: script/agent doctor [--platform mt5|mt4] [--json]

Looks at this machine, and says what it can host, what is missing, and what to install or to do. It changes nothing.
Run it as the user that the agent runs as. The sandbox needs nothing of all this.

  --platform   the platform that matters for the exit code (mt5, or what BERTH_AGENT_PLATFORMS names)
  --json       for programs: findings, and what each platform could be

It uses the agent's settings: BERTH_SERVER_URL (then the server is asked, too), BERTH_AGENT_DIR, BERTH_AGENT_ISOLATION.

Exit codes: 0 this host can offer the platform, 1 something keeps it from that, 2 wrong arguments, 78 wrong settings.
`;

/** `script/agent doctor` */
export const doctor: HostCommand = {
  usage,
  options: { platform: { type: 'string' } },
  positionals: { min: 0, max: 0 },
  async run({ options, settings, page, signal }) {
    const asked = findPlatformOption(options.platform);
    const configured = realPlatforms.filter((platform) => settings.platforms?.includes(platform));
    const wanted = asked ? [asked] : configured.length > 0 ? configured : ['mt5'];
    const facts = await gatherHostFacts(settings, signal);
    const terminals = toTerminalCount(facts, settings.wine.limits.memoryBytes);
    const findings = [...toMachineFindings(facts, terminals), ...toWineFindings(facts), ...toIsolationFindings(facts)];
    const offers = toOffers(facts, findings, { isolation: settings.wine.isolation, terminals });
    const isFine = offers.every(({ platform, isOffered }) => isOffered || !wanted.includes(platform));
    return {
      exitCode: isFine ? EXIT.fine : EXIT.failed,
      text: toDoctorText(page, findings, offers),
      json: { ok: isFine, findings, offers },
    };
  },
};
