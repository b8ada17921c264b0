/** What a broker's return codes ask for: another order, a pair, another look. */
import { systemTiming, type Timing } from '@berth/kit';
import { expect, it } from 'vitest';
import { closeEverything } from '../src/account/close-everything.ts';
import type { WrittenAccount } from '../src/account/exchange-files.ts';
import type { TradeCommand } from '../src/account/send-command.ts';

interface Open {
  ticket: string;
  side: 'buy' | 'sell';
  opened_at: string;
}

/** A broker with positions in one symbol. @param refuse the return code with which it refuses a command; 0: it does not */
const createBroker = (positions: Open[], refuse: (command: TradeCommand, open: readonly Open[]) => number) => {
  let open = positions;
  let sequence = 1;
  const commands: TradeCommand[] = [];
  const timing: Timing = { ...systemTiming, sleep: async () => void (sequence += 1) };
  const findCurrent = () =>
    ({
      sequence,
      positions: open.map((each) => ({ ...each, symbol: 'EURUSD', magic: '0' })),
      orders: [],
    }) as unknown as WrittenAccount;
  const send = async (command: TradeCommand) => {
    commands.push(command);
    const retcode = refuse(command, open);
    if (retcode === 0) open = open.filter(({ ticket }) => ticket !== command.ticket && ticket !== command.by);
    return { retcode: retcode === 0 ? 10_009 : retcode, message: 'Said by the broker', order: null, deal: null };
  };
  const close = () => closeEverything({ findCurrent, send }, {}, { timing, signal: new AbortController().signal });
  return { close, commands };
};

const toPosition = (ticket: number, side: Open['side']): Open => {
  return { ticket: String(ticket), side, opened_at: `2026-11-2${ticket}T08:00:00.000Z` };
};
const four = [toPosition(3, 'buy'), toPosition(1, 'sell'), toPosition(4, 'buy'), toPosition(2, 'sell')];

it('where only the oldest position may be closed, all are closed in the order in which they were opened', async () => {
  const isOldest = ({ ticket }: TradeCommand, open: readonly Open[]) =>
    open.every(({ ticket: other }) => Number(other) >= Number(ticket));
  const { close, commands } = createBroker(four, (command, open) => (isOldest(command, open) ? 0 : 10_045));
  expect(await close()).toEqual({ closed: 4, total: 4, left_open: [] });
  // All are tried at once, because most brokers allow it; of these four the first and the second came in their turn.
  expect(commands.slice(0, 4).map(({ ticket }) => ticket)).toEqual(['3', '1', '4', '2']);
  expect(commands.slice(4).map(({ ticket }) => ticket)).toEqual(['3', '4']);
});

it('positions for whose closing there is no margin are closed by their opposites, each once', async () => {
  const { close, commands } = createBroker(four, ({ action }) => (action === 'close_by' ? 0 : 10_019));
  expect(await close()).toEqual({ closed: 4, total: 4, left_open: [] });
  const pairs = commands.filter(({ action }) => action === 'close_by');
  expect(pairs.map(({ ticket, by }) => [ticket, by])).toEqual([
    ['3', '1'],
    ['4', '2'],
  ]);
});

it('a position without an opposite is left where there is no margin to close it, with what the broker says', async () => {
  const { close } = createBroker([toPosition(1, 'buy')], () => 10_019);
  expect(await close()).toMatchObject({
    ...{ closed: 0, total: 1 },
    left_open: [{ ticket: '1', message: 'Said by the broker [10019]' }],
  });
});

it('a position that has become smaller than what was to be closed is looked at again, and closed', async () => {
  let isFirst = true;
  const { close, commands } = createBroker([toPosition(1, 'buy')], () => {
    const retcode = isFirst ? 10_038 : 0;
    isFirst = false;
    return retcode;
  });
  expect(await close()).toEqual({ closed: 1, total: 1, left_open: [] });
  expect(commands).toHaveLength(2);
});
