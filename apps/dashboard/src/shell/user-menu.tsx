import { BookOpen, LogOut, Moon, Sun, SunMoon, UserRound } from 'lucide-react';
import { toAddress } from '../data/address.ts';
import type { User } from '../data/session.ts';
import { Button } from '../parts/button.tsx';
import { Menu, MenuItem, MenuLine, MenuNote } from '../parts/menu.tsx';
import { setTheme, useTheme, type ThemeChoice } from '../style/theme.ts';
import { pageTexts } from '../texts/page-texts.ts';

const icons: Record<ThemeChoice, typeof Sun> = { light: Sun, dark: Moon, system: SunMoon };
const choices: readonly ThemeChoice[] = ['dark', 'light', 'system'];

/** Light, dark or the system's theme: each press is the next. */
export const ThemeSwitch = () => {
  const theme = useTheme();
  const Icon = icons[theme];
  const next = choices[(choices.indexOf(theme) + 1) % choices.length] ?? 'system';
  const label = `${pageTexts.frame.theme}: ${pageTexts.frame.themes[theme]}`;
  return <Button kind="bare" icon={<Icon />} aria-label={label} title={label} onClick={() => setTheme(next)} />;
};

export interface UserMenuProps {
  user: User;
  onSignOut: () => void;
}

export const UserMenu = ({ user, onSignOut }: UserMenuProps) => {
  const label = pageTexts.frame.userMenu(user.name);
  return (
    <Menu trigger={<Button kind="bare" icon={<UserRound />} aria-label={label} />} side="top">
      <MenuNote>
        <b className="block truncate text-ink">{user.name}</b>
        <span className="block truncate">{user.email}</span>
      </MenuNote>
      <MenuLine />
      <MenuItem icon={<BookOpen />} onSelect={() => window.open(toAddress('/docs'), '_blank', 'noopener')}>
        {pageTexts.frame.documentation}
      </MenuItem>
      <MenuItem icon={<LogOut />} onSelect={onSignOut}>
        {pageTexts.frame.signOut}
      </MenuItem>
    </Menu>
  );
};
