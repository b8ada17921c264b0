/** Terminals that a flow needs before it begins, created as a program of their owner creates them. */
import { TerminalUser } from '../../e2e/terminal-user.ts';

/** A terminal with a simulated broker. @returns its id, and who owns it */
export const createTerminal = async (
  { url }: { url: string },
  token: string,
  changes: Record<string, unknown> = {},
): Promise<{ id: string; owner: TerminalUser }> => {
  const owner = new TerminalUser(url, token);
  const account = { server_name: 'Harbour-Demo', login: '5001', password: 'trade-me' };
  const { id } = await owner.createTerminal({ platform: 'sandbox', ...account, ...changes });
  return { id, owner };
};
