/**
 * The code of a sign-in link, `/#sign-in=<code>`. It is removed from the URL before anything else happens, so that it
 * is in no history, bookmark or screenshot, and it is returned only once.
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
  // Something that cannot be decoded is not our code; the link then opens the form.
}

export const hasSignInCode = (): boolean => code !== undefined;

export const takeSignInCode = (): string | undefined => {
  const taken = code;
  code = undefined;
  return taken;
};
