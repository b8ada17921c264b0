/**
 * The terminal arguments that the sandbox knows; a wrong or unknown one is silently ignored, as the vendor's help says.
 */
export interface CommandLine {
  portable: boolean;
  /** The value of /config: (MetaTrader 5) as it was given. */
  config: string | undefined;
  /** The first argument that is not an option: the start file of MetaTrader 4. */
  positional: string | undefined;
  login: string | undefined;
  profile: string | undefined;
}

export const parseCommandLine = (args: readonly string[]): CommandLine => {
  const find = (name: string): string | undefined => {
    const prefix = `/${name}:`;
    const found = args.find((arg) => arg.toLowerCase().startsWith(prefix));
    return found?.slice(prefix.length) || undefined;
  };
  const login = find('login');
  return {
    portable: args.some((arg) => arg.toLowerCase() === '/portable'),
    config: find('config'),
    positional: args.find((arg) => !arg.startsWith('/')),
    login: login && /^\d+$/.test(login) ? login : undefined,
    profile: find('profile'),
  };
};
