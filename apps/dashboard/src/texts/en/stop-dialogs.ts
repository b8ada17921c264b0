/** The dialogs about the stop of all algo trading: each is loaded when it is opened. */
const of = (count: number, one: string, many: string): string =>
  `${count.toLocaleString()} ${count === 1 ? one : many}`;

export const stopDialogs = {
  reachTitle: 'What a stop would reach',
  reachText: (reached: number, ms: number | null): string =>
    reached === 0
      ? 'Once an hour, every host checks whether it could turn algo trading off at once. Nothing is switched for it.'
      : `Once an hour, every host checks whether it could turn algo trading off at once. Nothing is switched for it. The slowest of the terminals reached took ${((ms ?? 0) / 1_000).toLocaleString(undefined, { maximumFractionDigits: 1 })} s.`,
  reachOldest: 'The oldest of these checks was',
  unreached: (count: number) => of(count, 'terminal would not be stopped now', 'terminals would not be stopped now'),
  unchecked: (count: number) => `${of(count, 'terminal has', 'terminals have')} not been checked yet.`,
  allReached: 'Every terminal would be stopped.',
  inForce: (since: string, count: number): string =>
    `All algo trading has been stopped since ${since}. ${count === 1 ? 'This terminal may trade' : 'These terminals may trade'} again; the stop stays for the others.`,
  exceptions: 'Not confirmed to be off',
  exceptionsText: 'Experts may still trade here. Open a terminal to see why it does not answer.',
  unconfirmed: 'Not confirmed',
  askedAgo: 'asked',
  onAgain: 'Turned on again since',
  more: (count: number) => `and ${count.toLocaleString()} more`,
  endTitle: 'End the stop',
  endText: (on: number, off: number, unknown: number): string =>
    [
      on === 0
        ? 'When it was stopped, algo trading was on nowhere, so there is nothing to turn on again.'
        : `When it was stopped, algo trading was on for ${of(on, 'terminal', 'terminals')}. If you turn it on again, experts may trade there.`,
      off > 0 && `It was off for ${of(off, 'terminal', 'terminals')}, and stays off there.`,
      unknown > 0 && `It was unknown for ${of(unknown, 'terminal', 'terminals')}, and stays off there.`,
    ]
      .filter(Boolean)
      .join(' '),
  notAsked: (count: number) =>
    `${of(count, 'terminal has', 'terminals have')} not confirmed yet, and will not be asked again.`,
  leaveOff: 'Leave it off',
  restore: (count: number) => `Turn on again on ${of(count, 'terminal', 'terminals')}`,
  nothingToRestore: 'Algo trading was on nowhere.',
  leftOff: 'The stop is over. Algo trading stays off.',
  restored: 'The stop is over. Algo trading is being turned on where it was on.',
};
