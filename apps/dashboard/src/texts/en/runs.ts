/** What is done on many terminals at once, and what came of it. */
const terminals = (count: number): string => `${count.toLocaleString()} ${count === 1 ? 'terminal' : 'terminals'}`;

export const runs = {
  tooMany: 'Five things are under way on many terminals already. Wait until one of them has ended.',
  notAsked: 'It was not asked for, as far as we know. Look at the terminal, and try again.',
  tray: 'Under way on many terminals',
  show: 'Show',
  dismiss: (title: string) => `Put away: ${title}`,
  progress: (title: string) => `Progress of ${title}`,
  asking: (count: number) => `Asking for it on ${terminals(count)}…`,
  calls: (answered: number, total: number) => `Call ${answered} of ${total}: one call takes up to 500 terminals.`,
  underWay: (done: number, total: number) => `${done.toLocaleString()} of ${terminals(total)} done.`,
  underWayFailed: (done: number, failed: number, total: number) =>
    `${done.toLocaleString()} of ${terminals(total)} done, ${failed.toLocaleString()} not.`,
  results: 'What came of it on each terminal',
  notOver: 'It goes on. It can be put away when it has ended.',
  allDone: (total: number) => (total === 1 ? 'Done.' : `Done on all ${terminals(total)}.`),
  someFailed: (done: number, failed: number) =>
    `Done on ${done.toLocaleString()}, not done on ${failed.toLocaleString()}.`,
  ended: (title: string, done: number, failed: number) =>
    failed === 0 ? `${title}: done on ${terminals(done)}.` : `${title}: done on ${done}, not done on ${failed}.`,
  states: { asked: 'Asking', waiting: 'Under way', done: 'Done', failed: 'Not done' },
  unknownReason: 'The reason is being read.',
  retry: (count: number) => `Try the failed ${count === 1 ? 'one' : count.toLocaleString()} again`,
  goesOn: 'You can close this: it goes on, and you are told of its end.',
  requests: (ids: readonly string[]) => (ids.length === 1 ? `Request ${ids[0]}` : `Requests ${ids.join(', ')}`),
};
