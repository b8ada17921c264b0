import { Puzzle } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { laterWhenOpen } from '../../../parts/later.tsx';
import { Menu, MenuItem } from '../../../parts/menu.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import type { ManyProps } from './expert-forms.tsx';

const words = pageTexts.terminalExperts.many;

const load = () => import('./expert-forms.tsx');
const dialogs = {
  install: laterWhenOpen<ManyProps>(async () => (await load()).InstallMany),
  update: laterWhenOpen<ManyProps>(async () => (await load()).UpdateMany),
  remove: laterWhenOpen<ManyProps>(async () => (await load()).RemoveMany),
};
const names = ['install', 'update', 'remove'] as const;

/** What is done with an expert on all selected terminals, as one run. */
export const ExpertMenu = ({ ids }: { ids: readonly string[] }) => {
  const [open, setOpen] = useState<(typeof names)[number]>();
  return (
    <>
      <Menu side="top" trigger={<Button icon={<Puzzle />}>{words.open}</Button>}>
        {names.map((name) => (
          <MenuItem key={name} isDangerous={name === 'remove'} onSelect={() => setOpen(name)}>
            {words[name]}
          </MenuItem>
        ))}
      </Menu>
      {names.map((name) => {
        const Shown = dialogs[name];
        return <Shown key={name} ids={ids} isOpen={open === name} onClose={() => setOpen(undefined)} />;
      })}
    </>
  );
};
