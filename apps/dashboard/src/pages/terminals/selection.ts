/** The selected terminals, by id, so that paging and filtering do not change the selection. */
import { MAX_RUN_TERMINALS } from '@berth/contract/values';
import { useCallback, useMemo, useState } from 'react';

/** What is known about a selected terminal when it is no longer on the page. */
export interface Selected {
  id: string;
  name: string;
  login: string;
  server_name: string;
}

export interface Selection {
  items: ReadonlyMap<string, Selected>;
  set: (terminals: readonly Selected[], isSelected: boolean) => void;
  clear: () => void;
}

/** As many as one run accepts. */
export const MAX_SELECTED = MAX_RUN_TERMINALS;

const change = (
  items: ReadonlyMap<string, Selected>,
  terminals: readonly Selected[],
  isSelected: boolean,
): ReadonlyMap<string, Selected> => {
  const next = new Map(items);
  for (const { id, name, login, server_name } of terminals) {
    if (!isSelected) next.delete(id);
    else if (next.size < MAX_SELECTED) next.set(id, { id, name, login, server_name });
  }
  return next;
};

export const useSelection = (): Selection => {
  const [items, setItems] = useState<ReadonlyMap<string, Selected>>(new Map());
  const set = useCallback<Selection['set']>((terminals, isSelected) => {
    setItems((old) => change(old, terminals, isSelected));
  }, []);
  const clear = useCallback(() => setItems(new Map()), []);
  return useMemo(() => ({ items, set, clear }), [items, set, clear]);
};
