import type { BulkTaskName } from '@berth/client';
import { ListChecks } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Menu, MenuItem, MenuNote } from '../../parts/menu.tsx';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.terminals.tasks;

/** Tasks that need no further input; those with a form of their own are on the page of one terminal. */
const types = ['ACCOUNT_LOGIN', 'ACCOUNT_LOGOUT', 'MARKET_WATCH_SHOW_ALL', 'SCREENSHOT_LATENCY'] as const;
export type PlainTaskName = (typeof types)[number] & BulkTaskName;

export interface TaskMenuProps {
  count: number;
  onRun: (type: PlainTaskName) => void;
}

/** One of a few tasks, on everything that is selected; those that stop trading need a confirmation. */
export const TaskMenu = ({ count, onRun }: TaskMenuProps) => {
  const [asked, setAsked] = useState<PlainTaskName>();
  const choose = (type: PlainTaskName): void => {
    if (type === 'ACCOUNT_LOGOUT') setAsked(type);
    else onRun(type);
  };
  const confirm = (): void => {
    setAsked(undefined);
    onRun('ACCOUNT_LOGOUT');
  };
  return (
    <>
      <Menu side="top" trigger={<Button icon={<ListChecks />}>{words.open}</Button>}>
        {types.map((type) => (
          <MenuItem key={type} isDangerous={type === 'ACCOUNT_LOGOUT'} onSelect={() => choose(type)}>
            {words.names[type]}
          </MenuItem>
        ))}
        <MenuNote>{words.others}</MenuNote>
      </Menu>
      <Dialog
        title={words.names.ACCOUNT_LOGOUT}
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        description={words.logout(count)}
        actions={
          <Button kind="destroy" onClick={confirm}>
            {words.confirmLogout(count)}
          </Button>
        }
      />
    </>
  );
};
