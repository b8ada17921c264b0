/** The stop of all algo trading. What its dialogs say is in `stop-dialogs.ts`. */
const of = (count: number, one: string, many: string): string =>
  `${count.toLocaleString()} ${count === 1 ? one : many}`;

export const stop = {
  short: 'Stop all',
  open: 'Stop all algo trading…',
  openWords: 'panic off emergency',
  title: 'Stop algo trading on all terminals',
  text: (count: number) =>
    `Experts stop trading on ${count < 2 ? 'your terminal' : count === 2 ? 'both terminals' : `all ${count.toLocaleString()} terminals`}, in every project and region, whatever a list is filtered by. They stay on their charts, and open positions and orders stay as they are. Terminals that do not confirm it are asked again until they do. You can restore everything as it was.`,
  skipped: 'Terminals that are not installed yet are skipped.',
  confirm: (count: number) => (count === 0 ? 'Stop algo trading' : `Stop on ${of(count, 'terminal', 'terminals')}`),
  nothing: 'You have no terminals.',
  reaches: (reached: number, total: number, ms: number | null): string => {
    const long = ms === null ? '' : ms < 1_000 ? ' in under a second' : ` in about ${Math.ceil(ms / 1_000)} s`;
    return `Reaches ${reached.toLocaleString()} of ${total.toLocaleString()}${long}`;
  },
  missed: (names: string[], others: number): string =>
    `Not reached now: ${names.join(', ')}${others > 0 ? `, and ${others.toLocaleString()} more` : ''}. They may still trade, and are asked again until they confirm.`,
  notChecked: 'Reach not checked yet',
  band: 'Algo trading is stopped',
  stopped: (at: string) => `Stopped ${at}:`,
  byOperator: 'An administrator stopped algo trading while your account was suspended.',
  counts: (confirmed: number, unconfirmed: number, onAgain: number): string =>
    [
      `${confirmed.toLocaleString()} confirmed`,
      unconfirmed > 0 && `${unconfirmed.toLocaleString()} not`,
      onAgain > 0 && `${onAgain.toLocaleString()} on again`,
    ]
      .filter(Boolean)
      .join(', '),
  asking: (count: number) =>
    count === 1
      ? 'It may still trade, and is asked again until it confirms.'
      : 'They may still trade, and are asked again until they confirm.',
  show: (count: number) => `Show ${count.toLocaleString()}`,
  end: 'End the stop…',
};
