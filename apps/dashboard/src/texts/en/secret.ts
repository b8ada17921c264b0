/** What is shown to be copied. */
export const secret = {
  copy: 'Copy',
  copied: 'Copied.',
  selected: 'It is selected: copy it with the keyboard.',
};
