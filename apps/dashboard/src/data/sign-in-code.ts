/**
 * The code of a sign-in link, `/#sign-in=<code>`. It is taken out of the address before anything else happens, so that it
 * is in no history, bookmark or screenshot, and it is given out once.
 */
const PREFIX = '#sign-in=';

const take = (): string | undefined => {
  const { hash, pathname, search } = location;
  if (!hash.startsWith(PREFIX)) return undefined;
  history.replaceState(history.state, '', pathname + search);
  return decodeURIComponent(hash.slice(PREFIX.length)) || undefined;
};

let code: string | undefined;
try {
  code = take();
} catch {
  // What does not decode is no code of ours; the link then leads to the form.
}

export const hasSignInCode = (): boolean => code !== undefined;

export const takeSignInCode = (): string | undefined => {
  const taken = code;
  code = undefined;
  return taken;
};
