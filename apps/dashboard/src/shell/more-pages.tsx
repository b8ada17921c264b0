import { useNavigate } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import { Menu, MenuItem } from '../parts/menu.tsx';
import { pageTexts } from '../texts/page-texts.ts';
import type { NavigationPage } from './navigation.ts';

export interface MorePagesProps {
  pages: readonly NavigationPage[];
}

/** Where the bar of narrow windows ends: the pages that have no room in it. */
export const MorePages = ({ pages }: MorePagesProps) => {
  const navigate = useNavigate();
  const button = (
    <button type="button" className="rail-link rail-more">
      <Ellipsis aria-hidden="true" />
      {pageTexts.frame.morePages}
    </button>
  );
  return (
    <Menu trigger={button} side="top">
      {pages.map(({ to, name, icon: Icon }) => (
        <MenuItem key={to} icon={<Icon />} onSelect={() => void navigate({ to })}>
          {name}
        </MenuItem>
      ))}
    </Menu>
  );
};
