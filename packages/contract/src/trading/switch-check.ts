import { Line, Type, Uuid, type Static } from '../schema.ts';
import { MAX_SWITCH_CHECK_MS, MAX_SWITCH_PROBLEM } from './limits.ts';

/** Whether a host could turn algo trading off on a terminal at once. Nothing is switched for it. */
export const SwitchCheck = Type.Object({
  terminal_id: Uuid('Terminal'),
  ms: Type.Integer({
    minimum: 0,
    maximum: MAX_SWITCH_CHECK_MS,
    description: 'From the request to the end of the check',
  }),
  problem: Type.Union([Line({ minLength: 1, maxLength: MAX_SWITCH_PROBLEM }), Type.Null()], {
    description: 'What prevents it, for a person; null: nothing',
  }),
});
export type SwitchCheck = Static<typeof SwitchCheck>;
