/** How many rows of a list are counted, unless the list is documented to count all. */
export const MAX_COUNTED_ROWS = 10_000;

/** API tokens of one account, including those of logins. */
/** Invitations that nobody has accepted yet, of all operators. */
export const MAX_INVITATIONS = 500;

export const MAX_TOKENS = 100;
/** Projects of one account. */
export const MAX_PROJECTS = 1000;

/** Terminals that one call can create a task for. */
export const MAX_BULK_TERMINALS = 500;

/** Terminals of one run. Only the filter of a stop may match more. */
export const MAX_RUN_TERMINALS = 10_000;

/** The longest time between the tasks of two terminals of one call: a day. */
export const MAX_STAGGER_SECONDS = 86_400;

/** How far ahead a task may be planned: a year. */
export const MAX_PLANNED_DAYS = 366;

/** Open tasks of one terminal. Those that other connections insert at the same moment are not counted yet. */
export const MAX_OPEN_TASKS = 1000;

/** The longest time between automatic screenshots of a terminal: a day. */
export const MAX_SCREENSHOT_MINUTES = 1440;

/** What names an account and its terminal. */
export const MAX_SERVER_CHARACTERS = 128;
export const MAX_LOGIN_CHARACTERS = 64;
export const MAX_PASSWORD_CHARACTERS = 128;
export const MAX_NAME_CHARACTERS = 255;
export const MAX_EXTERNAL_ID_CHARACTERS = 255;

/** Tags of one terminal. */
export const MAX_TAGS = 20;
export const MAX_TAG_CHARACTERS = 50;
export const MAX_NOTES_CHARACTERS = 2000;

/** Tags and trading servers that are offered as choices. */
export const MAX_CHOICES = 200;

/** Terminals that one call can create. */
export const MAX_CREATED_TERMINALS = 500;

/** The most bytes of a body of JSON, unless its route says otherwise. */
export const MAX_BODY_BYTES = 64 * 1024;
/** The same for a body that is read before its sender is known: a registration has less than 2 KiB. */
export const MAX_ANONYMOUS_BODY_BYTES = 16 * 1024;

/** Size of an uploaded file. */
export const MAX_FILE_BYTES = 32 * 1024 * 1024;
/** What a host may upload for one attempt of a task. */
export const MAX_ATTEMPT_BYTES = 64 * 1024 * 1024;
/** Files of one account: small ones use little storage, but still rows. */
export const MAX_FILES = 100_000;

/** Items per page of a list, unless the caller specifies a number. */
export const DEFAULT_PER_PAGE = 10;
/** The same for notifications. */
export const DEFAULT_NOTIFICATIONS_PER_PAGE = 15;
export const MAX_PER_PAGE = 100;
/** Items that a list can be asked for by id. */
export const MAX_LISTED_IDS = 100;

/** Webhooks of one account. */
export const MAX_WEBHOOKS = 50;
/** Deliveries of a webhook that wait. What happens after them waits in the log. */
export const MAX_PENDING_DELIVERIES = 1_000;
/** After so many days without a success a webhook is disabled. */
export const WEBHOOK_FAILING_DAYS = 5;
/** How long what is sent carries the signature of the secret before, too. */
export const WEBHOOK_ROTATION_HOURS = 24;
