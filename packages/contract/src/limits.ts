/** API tokens of one account, those of logins included. */
export const MAX_TOKENS = 100;
/** Projects of one account. */
export const MAX_PROJECTS = 1000;

/** Terminals that one call can give a task to. */
export const MAX_BULK_TERMINALS = 500;

/** Terminals that one run can name. By a filter there is no other bound than how many the account has. */
export const MAX_RUN_TERMINALS = 10_000;

/** The longest time between the tasks of two terminals of one call: a day. */
export const MAX_STAGGER_SECONDS = 86_400;

/** Tasks of one terminal that have not ended. Those that other connections insert at the very same moment are not seen yet. */
export const MAX_OPEN_TASKS = 1000;

/** The longest time between automatic screenshots of a terminal: a day. */
export const MAX_SCREENSHOT_MINUTES = 1440;

/** Size of an uploaded file. */
export const MAX_FILE_BYTES = 32 * 1024 * 1024;
/** What a host may upload for one attempt of a task. */
export const MAX_ATTEMPT_BYTES = 64 * 1024 * 1024;
/** Files of one account: small ones fill no storage, but rows. */
export const MAX_FILES = 100_000;

/** Items per page of a list, where the caller names no number. */
export const DEFAULT_PER_PAGE = 10;
/** The same for notifications. */
export const DEFAULT_NOTIFICATIONS_PER_PAGE = 15;
export const MAX_PER_PAGE = 100;
/** Items that a list can be asked for by their ids. */
export const MAX_LISTED_IDS = 100;
