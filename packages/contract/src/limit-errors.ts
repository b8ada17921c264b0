/** Errors of limits of rates and of what is under way, for `errorTable`. */

/** A limit that was met; when there is room again stands in the header. */
const toLimit = (cause: string, advice = '') => ({
  status: 429,
  msg: 'Too many attempts.',
  cause,
  hint: `Wait as many seconds as \`Retry-After\` says. ${advice}`.trimEnd(),
});

export const limitErrors = {
  token_rate_limit: toLimit('The token has sent 300 requests within a minute.'),
  account_rate_limit: toLimit('All tokens of the account together have sent 1,200 requests within a minute.'),
  task_creation_rate_limit: toLimit(
    'The account has created, or tried to create, tasks 60 times within a minute.',
    'One bulk or run makes tasks on many terminals and counts once.',
  ),
  subscription_rate_limit: toLimit(
    'The account has changed or tested webhooks and alert rules 60 times within a minute.',
  ),
  alert_channel_rate_limit: toLimit(
    'The account has created, changed or tested alert channels 20 times within a minute.',
  ),
  mail_rate_limit: toLimit('The address has been sent as many confirmations or tests as it may get within an hour.'),
  thumbnail_rate_limit: toLimit('The account has asked for 2,400 thumbnails within a minute.'),
  credentials_rate_limit: toLimit(
    'The address has sent 60 logins and the like within a minute, or five for this e-mail.',
  ),
  password_change_rate_limit: toLimit('The account has tried to change its password ten times within a minute.'),
  enrolment_rate_limit: toLimit('The address has enrolled, or tried to enrol, 60 hosts within a minute.'),
  refused_token_rate_limit: toLimit(
    'The address has sent 1,000 wrong tokens or passwords within a minute.',
    'A token that is right is never held up.',
  ),
  search_rate_limit: toLimit(
    'The address has searched the pages at /docs, or followed links of messages, 60 times within a minute.',
  ),
  event_stream_limit: toLimit(
    'The account has as many live connections for events as it may have.',
    'Or close one that is not needed.',
  ),
  transfer_limit: toLimit('Too many large bodies or answers of the caller are under way.', 'Send fewer at once.'),
  host_call_limit: toLimit('The host has 16 calls under way.', 'Send fewer at once.'),
  queue_limit: toLimit('Too many requests of the caller that take long wait for their turn.', 'Send fewer at once.'),
};
