import type { CreatedTask } from '@berth/client';
import { useAction, type Action } from '../../../data/action.ts';
import { berth } from '../../../data/berth.ts';
import { keys } from '../../../data/keys.ts';
import { pageTexts } from '../../../texts/page-texts.ts';
import { follow } from '../followed.ts';

/** A new screenshot of the whole window; concurrent requests get the same one. */
export const useTakeScreenshot = (terminalId: string): Action<undefined> =>
  useAction({
    run: (_: undefined) => berth.terminals.freshScreenshot(terminalId),
    done: () => pageTexts.terminal.queued(pageTexts.taskWords.types.SCREENSHOT),
    touches: () => [keys.tasks.ofTerminal(terminalId)],
    onDone: ({ id }: CreatedTask) => follow(terminalId, id),
  });
