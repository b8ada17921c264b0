/** The texts of pages that need somebody signed in: each page loads those that it shows. */
export * as pageTexts from './en/pages.ts';
