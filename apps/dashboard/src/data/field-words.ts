/** Errors about fields, in words for people. Pure. */

/** The server's own name of a field, up to what it says of it: "The server name field is required." */
const SUBJECT = /^The (?:selected )?[\w. ]+? (?:field )?(?=(?:is|must|has|may|format)\b)/;

/** An error about a field, which a person knows by its label: "Trading server is required." */
export const toFieldWords = (label: string, error: string): string => error.replace(SUBJECT, () => `${label} `);
