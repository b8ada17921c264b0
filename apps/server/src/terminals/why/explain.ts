/**
 * Why a terminal is not running: what has to be right, in the order in which one thing needs the other, and the first of
 * it that is wrong. Pure. Each status has an answer of its own (`causes.ts`), and so have the circumstances that explain
 * more than a status does (`circumstances.ts`): the earliest of all counts.
 */
import { TerminalStatus, whyChecks, type TerminalWhy, type WhyCheckName } from '@berth/contract';
import type { Cause, Reader } from './cause.ts';
import { toOwnCause } from './causes.ts';
import { circumstances } from './circumstances.ts';
import type { TerminalFacts } from './facts.ts';
import { toFine } from './fine.ts';

const findCause = (facts: TerminalFacts): Cause | undefined => {
  const found = [...circumstances, toOwnCause].flatMap((look) => look(facts) ?? []);
  const first = Math.min(...found.map(({ check }) => whyChecks.indexOf(check)));
  return found.find(({ check }) => whyChecks.indexOf(check) === first);
};

const isBehind = (check: WhyCheckName, wrong: Cause | undefined): boolean =>
  wrong !== undefined && whyChecks.indexOf(check) > whyChecks.indexOf(wrong.check);

export const explain = (facts: TerminalFacts, reader: Reader): TerminalWhy => {
  const wrong = findCause(facts);
  const chain = whyChecks.map((check): TerminalWhy['chain'][number] => {
    if (isBehind(check, wrong)) return { check, ok: null, message: 'Not checked yet.', next_step: null };
    if (wrong?.check !== check) return { check, ok: true, message: toFine(check, facts, reader), next_step: null };
    const next_step = typeof wrong.next === 'string' ? wrong.next : wrong.next[reader];
    return { check, ok: false, message: wrong.detail || wrong.answer, next_step };
  });
  const running = facts.status === TerminalStatus.ACTIVE ? 'It is running.' : 'Nothing is wrong.';
  return {
    answer: wrong?.answer ?? running,
    cause: wrong?.cause ?? null,
    since: new Date(wrong?.since ?? facts.status_changed_at).toISOString(),
    chain,
  };
};
