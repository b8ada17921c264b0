/** Puts text into the clipboard, and says so. */
import { tell } from '../data/notices.ts';
import { texts } from '../texts/texts.ts';

/** Where there is no clipboard for scripts (a page without TLS on another machine), the old way. */
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

export const copyText = async (text: string, what: string): Promise<void> => {
  const { clipboard } = navigator as { clipboard?: Clipboard };
  const wasCopied = clipboard
    ? await clipboard.writeText(text).then(
        () => true,
        () => copyBySelection(text),
      )
    : copyBySelection(text);
  tell(wasCopied ? { kind: 'done', text: texts.copied(what) } : { kind: 'failed', text: texts.notCopied });
};
