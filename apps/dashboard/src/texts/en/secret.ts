/** Secrets to be copied. */
export const secret = {
  copy: 'Copy',
  copied: 'Copied.',
  selected: 'Selected. Press Ctrl+C (⌘C on a Mac) to copy it.',
};
