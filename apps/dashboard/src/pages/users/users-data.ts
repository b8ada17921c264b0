import type { ManagedUser } from '@berth/client';
import { useAction } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { useReading } from '../../data/reading.ts';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import type { UsersSearch } from './search.ts';

const words = pageTexts.users;
const PER_PAGE = 50;
/** Users come and go without an event for operators. */
const READ_EVERY_MS = 30_000;

export const useUsers = ({ page = 1, search, status }: UsersSearch) => {
  const filter = { ...(search === undefined ? {} : { search }), ...(status === undefined ? {} : { status }) };
  const query = { page, per_page: PER_PAGE, ...filter };
  return useReading(keys.users.list(query), (request) => berth.operator.users.page(query, request), READ_EVERY_MS);
};

export const useSignOut = (onDone: () => void) =>
  useAction({
    run: ({ id }: ManagedUser) => berth.operator.users.signOut(id),
    done: (_nothing, { name }) => words.signedOut(isolate(name)),
    touches: () => [keys.users.all],
    onDone,
  });

export const useReopen = () =>
  useAction({
    run: ({ id }: ManagedUser) => berth.operator.users.reopen(id),
    done: ({ name }) => words.reopened(isolate(name)),
    touches: () => [keys.users.all],
  });

export const useReadmit = () =>
  useAction({
    run: ({ id }: ManagedUser) => berth.operator.users.update(id, { status: 'active' }),
    done: (_user, { name }) => words.readmitted(isolate(name)),
    touches: () => [keys.users.all],
  });
