/** Errors of the service itself, for `errorTable`: it is away, busy or full. */
export const serviceErrors = {
  internal: {
    status: 500,
    msg: 'Something went wrong on our side. Quote the request id when you report it.',
    cause: 'A defect; the log holds the details under the request id.',
    hint: 'Send it again once. If it fails again, tell the operator the `X-Request-Id`.',
  },
  unavailable: {
    status: 503,
    msg: 'The service is briefly unavailable. Please try again.',
    cause: 'The database is away, the server is stopping, or too much waits; see `Retry-After`.',
    hint: 'Wait as many seconds as `Retry-After` says, and send it again.',
  },
  scheduler_stalled: {
    status: 503,
    msg: 'The scheduler has completed no tick for over a minute. The logs of the servers say why.',
    cause: 'Only `/readyz`: due, lost and waiting work of all servers stands still. Requests are answered as usual.',
    hint: 'Read the logs of the servers.',
  },
  room_stuck: {
    status: 503,
    msg: 'Requests or answers have filled their memory for over a minute, and none of it was given back.',
    cause: 'Only `/readyz`: large requests and answers are refused. `berth_room_used_bytes` of `/metrics` says which.',
    hint: 'Send requests to another server. If it stays, start this one again.',
  },
  storage_full: {
    status: 507,
    msg: 'Your storage is full. Most of it is taken by {resource}.',
    cause:
      'What would be stored exceeds what the plan allows all data of an account to come to. Stops and deletions are never refused.',
    hint: 'GET /v1/my/account/usage says what takes how much. Delete files and terminals, or ask the operator for a larger plan.',
  },
  disk_full: {
    status: 507,
    msg: 'The service has no disk space left. Nothing was changed; please try again later.',
    cause: 'The disk of the server or of its database is full. The operator has to fix that.',
    hint: 'Ask the operator to make room.',
  },
} as const;
