import type { Terminal } from '@berth/client';
import { useMemo } from 'react';
import { useCommands } from '../../data/commands.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { useAddress } from './address.ts';
import { useCreateTask, useTakeScreenshot, whyNotNow } from '../../data/create-task.ts';
import { terminalTabs } from './search.ts';

const words = pageTexts.terminal;

/** Actions for this terminal, in the command palette. */
export const useTerminalCommands = (terminal: Terminal, onInstall: () => void): void => {
  const { change } = useAddress();
  const { run: create } = useCreateTask(terminal.id);
  const { run: take } = useTakeScreenshot(terminal.id);
  const { id, status } = terminal;
  const commands = useMemo(() => {
    const whyNot = whyNotNow({ status }, 'SCREENSHOT');
    return [
      {
        id: `${id}.screenshot`,
        name: words.screenshot.take,
        words: words.screenshot.words,
        whyNot,
        run: () => take(undefined),
      },
      { id: `${id}.install`, name: words.installExpert, whyNot, run: () => onInstall() },
      ...([0, 1] as const).map((allow) => ({
        id: `${id}.auto.${allow}`,
        name: allow === 1 ? words.algoOn : words.algoOff,
        whyNot,
        run: () => create({ type: 'OPTIONS_AUTO_TRADE', payload: { allow_algo_trading: allow } }),
      })),
      ...terminalTabs.map((tab) => ({
        id: `${id}.${tab}`,
        name: words.tabs[tab],
        words: words.tabWords[tab],
        run: () => change({ tab: tab === 'tasks' ? undefined : tab }),
      })),
    ];
  }, [id, status, change, create, take, onInstall]);
  useCommands(commands);
};
