/**
 * The output of `script/server --help`: the most common settings. docs/configuration.md has all of them; a test
 * compares the names.
 */
export const usage = `script/server: starts Berth: the server, with its own PostgreSQL and sandbox hosts unless told otherwise. Ctrl+C stops it all.

It takes no arguments. Settings come from the environment:

  BERTH_HOST, BERTH_PORT     where to listen (127.0.0.1, 4000)
  BERTH_PUBLIC_URL           how clients reach the server through a proxy
  BERTH_TRUSTED_PROXIES      proxies whose X-Forwarded headers are believed
  BERTH_DATA_DIR             database, keys, mails, local hosts (data in the checkout)
  BERTH_DATABASE_URL         a PostgreSQL of yours (unset: the embedded one)
  BERTH_SECRET_KEY           seals the trading passwords (unset: secret.key in the data directory)
  BERTH_LOST_KEYS            ids of keys that are lost for good
  BERTH_REGISTRATION         open or closed: may anybody create an account?
  BERTH_OPERATOR_EMAIL       of the operator that the first start creates (operator@berth.local)
  BERTH_LOCAL_AGENT          on or off: sandbox hosts that come with the server
  BERTH_SMTP_URL, BERTH_MAIL_FROM    where mails go out
  BERTH_LOG_LEVEL            fatal, error, warn, info, debug, trace or silent

All of them, with their defaults: docs/configuration.md. Running it for others: docs/operating.md.
Other commands: script/agent, script/backup, script/restore, script/operator-password.
`;
