/** The texts of pages that need somebody signed in: they are not loaded for the sign-in page. */
import { pages } from './en/pages.ts';

export type PageTexts = typeof pages;

export const pageTexts: PageTexts = pages;
