import type { TestStack } from '@berth/testing';

/**
 * Freezes the process of a terminal, so that a task which needs its screen runs for as long as a test wants (up to the
 * 20 s that the agent gives a screenshot, or the minute that it gives a demo account).
 * @returns how to let it go on
 */
export const freezeTerminal = (stack: TestStack, path: string | null): (() => void) => {
  const found = stack.processes('terminal').find(({ folder }) => folder === path);
  if (!found) throw new Error(`no terminal runs in ${path}`);
  process.kill(found.pid, 'SIGSTOP');
  return () => void process.kill(found.pid, 'SIGCONT');
};
