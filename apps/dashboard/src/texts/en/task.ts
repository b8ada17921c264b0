/** One task in full, and what can be done with it. */
export const task = {
  details: 'Details',
  gone: 'Task not found',
  goneText: 'It was deleted after the retention period, or the address is wrong.',
  facts: { status: 'Status', created: 'Created', planned: 'Scheduled for', attempts: 'Attempts', id: 'ID' },
  steps: 'Steps',
  noSteps: 'Steps appear when the task finishes.',
  result: 'Result',
  screenshot: 'Screenshot from this step',
  payload: 'Payload',
  plain: 'This task has no payload.',
  history: 'History',
  by: (actor: string) => `by ${actor}`,
  attempt: (attempt: number) => `attempt ${attempt}`,
  cancel: 'Cancel',
  canceled: (title: string) => `Canceled: ${title}.`,
  whyNotCancel: {
    inProgress: 'It is already running on a host and can no longer be canceled.',
    ended: 'It has already finished.',
  },
  again: 'Run again',
  queued: (title: string) => `Queued again: ${title}.`,
  whyNotAgain: {
    secret: 'Its password is not kept in a readable form. Log in on the terminal’s page instead.',
    install: 'Terminals are installed automatically. Delete the terminal and create it again.',
    destroy: 'Delete the terminal on its own page.',
    open: 'It has not finished yet.',
  },
  demoTitle: 'Open another demo account?',
  demoLead:
    'This task opens an account at the broker. If the first attempt opened one, running it again opens a second.',
};
