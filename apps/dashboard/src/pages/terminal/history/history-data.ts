import { useInfiniteQuery } from '@tanstack/react-query';
import { berth } from '../../../data/berth.ts';
import { keys } from '../../../data/keys.ts';
import { historyTypes, isHistoryEvent, type HistoryPage } from '../../../data/live/history.ts';

const PER_PAGE = 50;
/** The most that is held and shown. */
const MAX_PAGES = 20;
export const MAX_ENTRIES = PER_PAGE * MAX_PAGES;
/** Answers without an entry that one page goes over: each looks at ten thousand events of other terminals. */
const MAX_EMPTY = 20;

const readPage = async (terminalId: string, cursor: string, signal: AbortSignal): Promise<HistoryPage> => {
  let after: string = cursor;
  for (let answers = 0; ; answers += 1) {
    const query = { order: 'newest', terminal_id: terminalId, types: historyTypes.join(), per_page: PER_PAGE } as const;
    const { data, pagination } = await berth.eventLog.page({ ...query, after }, { signal });
    const next = pagination.next_cursor;
    if (data.length > 0 || next === null || answers === MAX_EMPTY) return { events: data.filter(isHistoryEvent), next };
    after = next;
  }
};

/** What happened to a terminal, newest first, page after page. */
export const useHistory = (terminalId: string) =>
  useInfiniteQuery({
    queryKey: keys.terminals.history(terminalId),
    initialPageParam: 'start',
    queryFn: ({ pageParam, signal }) => readPage(terminalId, pageParam, signal),
    getNextPageParam: ({ next }, pages) => (pages.length < MAX_PAGES ? next : null),
  });
