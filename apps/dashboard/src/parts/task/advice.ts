import { stepAdvice, type StepCode } from '@berth/client';

/** What to do about a failed step, without what its message says already. */
export const toStepAdvice = (code: StepCode, message: string): string =>
  stepAdvice[code]
    .split(/(?<=\.) /)
    .filter((sentence) => !message.includes(sentence))
    .join(' ');
