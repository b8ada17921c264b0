/**
 * All texts of the dashboard, by one door. English is the shape: another language is another object of the type `Texts`,
 * and the compiler says what it lacks. Sentences with a figure or a name in them are functions, because the order of
 * words differs between languages.
 */
import { en } from './en/en.ts';

export type Texts = typeof en;

export const texts: Texts = en;
