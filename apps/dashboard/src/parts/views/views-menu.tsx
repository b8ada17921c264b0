import type { SavedView } from '@berth/client';
import { Bookmark, Plus, Trash2 } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { toErrorText } from '../../data/action.ts';
import { useCommands } from '../../data/commands.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { Button } from '../button.tsx';
import { laterWhenOpen } from '../later.tsx';
import { Menu, MenuCheck, MenuItem, MenuLine, MenuNote } from '../menu.tsx';
import { isShown, showView, useViews, type ListView } from './views-data.ts';

const words = pageTexts.views;
const SaveView = laterWhenOpen(async () => (await import('./save-view.tsx')).SaveView);
const DeleteView = laterWhenOpen(async () => (await import('./delete-view.tsx')).DeleteView);

/** The views of this list are commands, too. */
const useViewCommands = (list: ListView, views: readonly SavedView[] | undefined): void => {
  const current = useRef(list);
  useEffect(() => {
    current.current = list;
  });
  const commands = useMemo(
    () =>
      (views ?? []).map((view) => ({
        id: `views.${view.name}`,
        name: words.command(view.name),
        run: () => showView(current.current, view),
      })),
    [views],
  );
  useCommands(commands);
};

/** The saved views of a list: to choose one, to save what is shown, and to delete one. */
export const ViewsMenu = ({ list }: { list: ListView }) => {
  const [asked, setAsked] = useState<'save' | 'delete'>();
  const close = (): void => setAsked(undefined);
  const { data, error } = useViews();
  const views = useMemo(() => data?.filter(({ page }) => page === list.page), [data, list.page]);
  useViewCommands(list, views);
  const chosen = views?.filter((view) => isShown(list, view)) ?? [];
  const trigger = (
    <Button
      className="views-button"
      icon={<Bookmark />}
      title={words.label}
      data-chosen={chosen.length > 0 || undefined}
    >
      <bdi className="truncate">{chosen[0]?.name ?? words.title}</bdi>
    </Button>
  );
  return (
    <>
      <Menu trigger={trigger}>
        {views?.map((view) => (
          <MenuCheck key={view.name} isOn={chosen.includes(view)} onChange={() => showView(list, view)} closes>
            <bdi className="min-w-0 break-words">{view.name}</bdi>
          </MenuCheck>
        ))}
        {views?.length === 0 ? <MenuNote>{words.none}</MenuNote> : null}
        {error === null ? null : <MenuNote>{toErrorText(error)}</MenuNote>}
        <MenuLine />
        <MenuItem icon={<Plus aria-hidden="true" />} onSelect={() => setAsked('save')}>
          {words.save}
        </MenuItem>
        {views && views.length > 0 ? (
          <MenuItem icon={<Trash2 aria-hidden="true" />} isDangerous onSelect={() => setAsked('delete')}>
            {words.delete}
          </MenuItem>
        ) : null}
      </Menu>
      <SaveView list={list} views={data ?? []} isOpen={asked === 'save'} onClose={close} />
      <DeleteView views={views ?? []} chosen={chosen[0]?.name} isOpen={asked === 'delete'} onClose={close} />
    </>
  );
};
