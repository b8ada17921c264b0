/** Copies text to the clipboard. */
import { notify } from '../data/notices.ts';
import { texts } from '../texts/texts.ts';

/** The fallback where scripts have no clipboard (a page without TLS on another machine). */
const copyBySelection = (text: string): boolean => {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'sr-only';
  document.body.append(area);
  area.select();
  try {
    return document.execCommand('copy');
  } finally {
    area.remove();
  }
};

/** @returns whether it was copied */
export const copy = async (text: string): Promise<boolean> => {
  const { clipboard } = navigator as { clipboard?: Clipboard };
  if (!clipboard) return copyBySelection(text);
  return clipboard.writeText(text).then(
    () => true,
    () => copyBySelection(text),
  );
};

/** The same, with a message. */
export const copyText = async (text: string): Promise<void> => {
  const wasCopied = await copy(text);
  notify(wasCopied ? { kind: 'done', text: texts.copied } : { kind: 'failed', text: texts.notCopied });
};
