/**
 * What hosts report of risk rules. A host repeats warnings and breaches until they are acknowledged; each has the id that
 * its host gave it, so that a repeated one changes nothing. A breach is written, said and, when its host has come that
 * far, followed by the lock of its terminal, each in one transaction.
 */
import type { ReportedBreach, ReportedRiskState, ReportedWarning, RiskAction, RiskBreach } from '@berth/contract';
import { FairSemaphore } from '@berth/kit';
import { recordAudit, systemActor } from '../audit/record.ts';
import type { Store, Transaction } from '../db/database.ts';
import { recordEvents, type Occurrence } from '../events/record.ts';
import { insertBreach, lockBreach, takeWarning, writeBreach, type KnownBreach } from './breaches.ts';
import { takeRiskStates } from './states.ts';
import { findLock } from './lock-ends.ts';
import { lockTerminal, type LockParts } from './lock-terminal.ts';

/** Each holds a connection: the others are for everybody else. */
const CALLS = { places: 2, perOwner: 1, maxWaiting: 1_000 };

export interface RiskReport {
  states: ReportedRiskState[];
  warnings: ReportedWarning[];
  breaches: ReportedBreach[];
}

export class RiskReports {
  readonly #parts: LockParts & { db: Store };
  readonly #slots = new FairSemaphore(CALLS);

  constructor(parts: LockParts & { db: Store }) {
    this.#parts = parts;
  }

  /** @returns the ids of warnings and breaches that are taken, or that do not count: none of them has to be repeated */
  add(hostId: string, { states, warnings, breaches }: RiskReport): Promise<string[]> {
    const { db } = this.#parts;
    return this.#slots.run(hostId, async () => {
      // What acts on money first.
      for (const breach of breaches) await db.transaction((tx) => this.#takeBreach(tx, hostId, breach));
      if (warnings.length > 0) await db.transaction((tx) => takeWarnings(tx, hostId, warnings));
      if (states.length > 0) await db.transaction((tx) => takeRiskStates(tx, hostId, states));
      return [...breaches, ...warnings].map(({ id }) => id);
    });
  }

  async #takeBreach(tx: Transaction, hostId: string, report: ReportedBreach): Promise<void> {
    const breach = (await lockBreach(tx, report.id)) ?? (await begin(tx, hostId, report));
    const isSame = breach?.host_id === hostId && breach.terminal_id === report.terminal_id.toLowerCase();
    if (!breach || !isSame || breach.ended_at !== null) return;
    const done = toActions(breach, report);
    const isLocked = done.some(({ action }) => action === 'lock');
    if (isLocked && breach.locked_at === null) {
      await lockTerminal(tx, this.#parts, breach.terminal_id, await findLock(tx, breach.id));
    }
    await writeBreach(tx, hostId, report, { actions: done, isLocked });
  }
}

const begin = async (tx: Transaction, hostId: string, report: ReportedBreach): Promise<KnownBreach | undefined> => {
  const begun = await insertBreach(tx, hostId, report);
  // Of two calls at once the other one may have written it.
  if (!begun) return lockBreach(tx, report.id);
  const { id: breach_id, user_id: userId, terminal_name: name, rule_name, rule_actions: actions, kind } = begun;
  const { rule_id, value, limit, terminal_id: terminalId } = report;
  const after = { breach_id, rule_id, rule_name, kind, value, limit, actions };
  const target = { type: 'terminal', id: terminalId };
  await recordAudit(tx, systemActor, { action: 'risk_rule.act', target, userId, after });
  const data = { name, ...after };
  await recordEvents(tx, [{ type: 'risk.breached', userId, terminalId, data }]);
  return begun;
};

/** What is done: the host's part, as far as the rule asked for it. */
const toActions = ({ rule_actions: asked }: KnownBreach, { actions }: ReportedBreach): RiskBreach['actions'] => {
  const isAsked = (action: RiskAction): boolean => asked.includes(action);
  return actions
    .filter(({ action }, index) => isAsked(action) && actions.findIndex((each) => each.action === action) === index)
    .map(({ at, ...done }) => ({ ...done, at: new Date(at).toISOString() }));
};

const takeWarnings = async (tx: Transaction, hostId: string, warnings: readonly ReportedWarning[]): Promise<void> => {
  const events: Occurrence[] = [];
  for (const warning of warnings) {
    const taken = await takeWarning(tx, hostId, warning);
    if (!taken) continue;
    const { terminal_id: terminalId, rule_id, kind, blind, used, limit } = warning;
    const data = { name: taken.name, rule_id, rule_name: taken.rule_name, warning: kind, blind, used, limit };
    events.push({ type: 'risk.warning', userId: taken.user_id, terminalId, data });
  }
  await recordEvents(tx, events);
};
