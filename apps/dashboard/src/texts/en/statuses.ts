/** Statuses as words: what a person says, not what the API calls it. */
export const terminalStatuses = {
  PENDING: 'Waiting for a host',
  INSTALLING: 'Installing',
  CONNECTING: 'Connecting',
  ACTIVE: 'Active',
  DISCONNECTED: 'Disconnected',
  STOPPED: 'Logged out',
  LOGIN_FAILED: 'Login failed',
  FAILED: 'Installation failed',
  DESTROYING: 'Deleting',
  DESTROYED: 'Deleted',
  UNREACHABLE: 'Host offline',
};

/** Instead of “Login failed”, where the terminal has no address for the trading server. */
export const serverUnknown = 'Server unknown';
