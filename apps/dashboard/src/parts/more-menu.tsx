import { Ellipsis } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, type ButtonProps } from './button.tsx';
import { Menu } from './menu.tsx';

export interface MoreMenuProps extends Pick<ButtonProps, 'isBusy'> {
  /** "More actions for Gold". */
  label: string;
  children: ReactNode;
}

/** What else can be done with an item. */
export const MoreMenu = ({ label, isBusy, children }: MoreMenuProps) => (
  <Menu trigger={<Button kind="bare" icon={<Ellipsis />} aria-label={label} isBusy={isBusy} />}>{children}</Menu>
);
