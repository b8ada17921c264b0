/** Statuses as words: what a person says, not what the interface calls it. */
export const terminalStatuses = {
  PENDING: 'Waiting for a host',
  INSTALLING: 'Installing',
  CONNECTING: 'Connecting',
  ACTIVE: 'Active',
  DISCONNECTED: 'No link to broker',
  STOPPED: 'Logged out',
  LOGIN_FAILED: 'Login refused',
  FAILED: 'Installation failed',
  DESTROYING: 'Being deleted',
  DESTROYED: 'Deleted',
  UNREACHABLE: 'Host away',
};
