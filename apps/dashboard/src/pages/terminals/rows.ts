import { keepChoice } from '../../data/kept-choice.ts';

/** How many terminals a page of the list can have. */
export const rowChoices = [50, 100, 300] as const;
export type Rows = (typeof rowChoices)[number];

export const rowsPerPage = keepChoice<Rows>('berth-terminal-rows', {
  parse: (text) => rowChoices.find((rows) => String(rows) === text) ?? 50,
  format: String,
});
