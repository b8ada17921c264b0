/** Unexpected dialogs as obstacles to a task or to a start. */
import { cutText } from '@berth/contract/values';
import type { OpenDialog, Operator } from '../edition.ts';
import type { Obstacle } from '../step-failure.ts';

const MAX_DIALOGS = 3;
const MAX_TEXT_CHARACTERS = 300;
const SIZE = { width: 1280, height: 800 };

const toQuote = ({ title, text }: OpenDialog): string => {
  const words = [title, text].filter((part) => part !== '').join(': ');
  return `"${cutText(words.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' '), MAX_TEXT_CHARACTERS)}"`;
};

/** The text of open dialogs for a user: words of an untrusted box, marked as such by quotes. Pure. */
export const toDialogText = (dialogs: readonly OpenDialog[]): string =>
  `A dialog stands open in the terminal: ${dialogs.slice(0, MAX_DIALOGS).map(toQuote).join(', ')}. ` +
  'Look at its screen (SCREENSHOT), and have it closed on the host.';

/** @returns undefined where there is no obstacle, or where it cannot be determined */
export const findObstacle = async (operator: Operator): Promise<Obstacle | undefined> => {
  try {
    const dialogs = await operator.listDialogs();
    if (dialogs.length === 0) return undefined;
    const isSecret = dialogs.some((dialog) => dialog.isSecret);
    const screenshot = isSecret ? undefined : await operator.capture({ ...SIZE, chart: null }).catch(() => undefined);
    return { text: toDialogText(dialogs), screenshot };
  } catch {
    // A screen that does not respond is reported by what failed before.
    return undefined;
  }
};
