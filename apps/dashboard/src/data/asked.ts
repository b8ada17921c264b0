import { useCallback, useState } from 'react';
import { useAction, type ActionOptions } from './action.ts';

/**
 * A change that is asked about first. Example: `const remove = useAsked({ run: ({ id }: Project) =>
 * berth.projects.delete(id) })`, then `onDelete={remove.ask}` and `<Confirm {...remove.dialog} title="…" verb="…" />`.
 */
export const useAsked = <Item, Outcome>(options: Omit<ActionOptions<Item, Outcome>, 'onDone'>) => {
  const [item, setItem] = useState<{ is: Item }>();
  const ask = useCallback((about: Item) => setItem({ is: about }), []);
  const onClose = useCallback(() => setItem(undefined), []);
  const action = useAction({ ...options, onDone: onClose });
  return { ask, dialog: { item: item?.is, action, onClose } };
};
