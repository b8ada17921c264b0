/** English: what every page needs, with the signing in. It is in the first load; all else is in `pages.ts`. */
import { frame } from './frame.ts';
import { notifications } from './notifications.ts';
import { signIn } from './sign-in.ts';
import { terminalStatuses } from './statuses.ts';

export const en = {
  /** For dates and figures; undefined: as the reader's browser has them. */
  locale: undefined as string | undefined,
  product: 'Berth',
  pageTitle: (page: string) => `${page} · Berth`,
  reading: 'Loading…',
  close: 'Close',
  cancel: 'Cancel',
  save: 'Save',
  tryAgain: 'Try again',
  dismiss: 'Dismiss',
  copied: (what: string) => `${what} is in the clipboard.`,
  notCopied: 'Your browser did not let it be copied. Mark the text and copy it yourself.',
  limited: 'Too many requests, retrying',
  limitedFor: (seconds: number) => `in ${seconds} s`,
  limitedNow: 'now',
  notices: 'Messages',
  requestId: (id: string) => `Request ${id}`,
  errors: {
    unreached: 'Couldn’t reach the server. Check your connection and try again.',
    late: 'The server did not answer in time. Try again.',
    strange: 'Something between you and the server answered instead of it. Check your connection and try again.',
    unexpected:
      'Something went wrong in this page. Load it again; if it happens again, tell the operator what you did.',
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
  figures: { notMeasured: 'not measured' },
  confirm: {
    type: (name: string) => `Type ${name} to confirm`,
    whyNot: 'Type the name exactly as it stands above.',
  },
  pager: {
    pages: 'Pages of the list',
    page: (page: number, last: number) => `Page ${page} of ${last}`,
    previous: 'Previous',
    next: 'Next',
    firstPage: 'This is the first page.',
    lastPage: 'This is the last page.',
  },
  frame,
  notifications,
  signIn,
  terminalStatuses,
};
