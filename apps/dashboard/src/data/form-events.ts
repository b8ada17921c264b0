/** An event of a form whose values were checked without sending it. */
export const VERIFIED = 'verified';
