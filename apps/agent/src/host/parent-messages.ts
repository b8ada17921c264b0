/**
 * What a parent process (a server with local hosts) sends to the agent it started, over the IPC channel:
 * - first, at every start: `{"join_tokens": {"<host name>": "<token>"}}`, one-time tokens for hosts that are not
 *   enrolled;
 * - to end: `{"stop": "all"}`, which stops the terminals too. A closed channel means that the parent died: the agent
 *   ends and the terminals live on.
 */
export type ParentMessage = { joinTokens: Record<string, string> } | { stop: 'all' };

/** @returns undefined for an unknown message */
export const toParentMessage = (message: unknown): ParentMessage | undefined => {
  if (typeof message !== 'object' || message === null) return undefined;
  const { join_tokens: joinTokens, stop } = message as Record<string, unknown>;
  if (stop === 'all') return { stop };
  if (typeof joinTokens !== 'object' || joinTokens === null) return undefined;
  const tokens = Object.entries(joinTokens).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  return { joinTokens: Object.fromEntries(tokens) };
};
