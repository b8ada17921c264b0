/** English: what every page needs, including signing in. It is part of the first load; the rest is in `pages.ts`. */
import { signIn } from './sign-in.ts';

export const en = {
  /** For dates and numbers; undefined: the browser's own. */
  locale: undefined as string | undefined,
  product: 'Berth',
  pageTitle: (page: string) => `${page} · Berth`,
  loading: 'Loading…',
  close: 'Close',
  cancel: 'Cancel',
  save: 'Save',
  tryAgain: 'Try again',
  dismiss: 'Dismiss',
  copied: 'Copied to clipboard.',
  notCopied: 'Your browser blocked copying. Select the text and copy it yourself.',
  /** Why nothing can be done, until the server answers again. */
  noContact: 'No contact with the server. You can do this when it is back.',
  /** Why a role cannot do it, by the role that can. */
  needsRole: {
    viewer: 'Only operators can do this.',
    operator: 'Viewers can’t change anything. Ask an operator.',
    owner: 'Only an owner can do this.',
  },
  limited: 'Too many requests, retrying',
  limitedFor: (seconds: number) => `in ${seconds} s`,
  limitedNow: 'now',
  notices: 'Messages',
  requestId: (id: string) => `Request ${id}`,
  errors: {
    unreached: 'Couldn’t reach the server. Check your connection and try again.',
    late: 'The server took too long to respond. Try again.',
    strange: 'Something other than the server answered, such as a proxy. Check your connection and try again.',
    refused: 'The server did not accept this. Check what you entered and try again.',
    unexpected:
      'Something went wrong on this page. Reload it. If it happens again, tell your administrator what you did.',
  },
  time: {
    justNow: 'now',
    seconds: (count: number) => `${count} s`,
    minutes: (count: number) => `${count} min`,
    hours: (count: number) => `${count} h`,
    days: (count: number) => `${count} d`,
    ago: (span: string) => `${span} ago`,
    unknown: 'unknown',
  },
  /** Pages without a frame. */
  plain: {
    notFound: 'Page not found',
    notFoundText: 'The address is wrong, or the page no longer exists.',
    toTerminals: 'Back to terminals',
    broken: 'Something went wrong',
    reload: 'Reload',
  },
  signIn,
};
