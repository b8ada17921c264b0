/**
 * The code of a link, `/#sign-in=<code>`, `/#password=<code>` or `/#invitation=<code>`. It is removed from the URL before anything else happens,
 * so that it is in no history, bookmark or screenshot, and it is returned only once.
 */
const HASH = /^#(sign-in|password|invitation)=(.+)$/s;

type LinkKind = 'sign-in' | 'password' | 'invitation';

const take = (): { kind: LinkKind; code: string } | undefined => {
  const { hash, pathname, search } = location;
  const [, kind, code] = HASH.exec(hash) ?? [];
  if (kind === undefined || code === undefined) return undefined;
  history.replaceState(history.state, '', pathname + search);
  return { kind: kind as LinkKind, code: decodeURIComponent(code) };
};

let link: ReturnType<typeof take>;
try {
  link = take();
} catch {
  // Something that cannot be decoded is not our code; the link then opens the form.
}

export const hasLinkCode = (kind: LinkKind): boolean => link?.kind === kind;

export const takeLinkCode = (kind: LinkKind): string | undefined => {
  if (link?.kind !== kind) return undefined;
  const { code } = link;
  link = undefined;
  return code;
};
