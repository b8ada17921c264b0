import { Menu as Base } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';

export interface MenuProps {
  /** The button that opens it. */
  trigger: ReactElement;
  children: ReactNode;
  side?: 'top' | 'bottom' | 'right';
}

export const Menu = ({ trigger, children, side = 'bottom' }: MenuProps) => (
  <Base.Root>
    <Base.Trigger render={trigger} />
    <Base.Portal>
      <Base.Positioner className="above" side={side} align="end" sideOffset={6} collisionPadding={8}>
        <Base.Popup className="menu">{children}</Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
);

export interface MenuItemProps {
  icon?: ReactNode;
  onSelect: () => void;
  isDangerous?: boolean;
  /** Why it is disabled; it stays in its place and says so. */
  whyNot?: string | undefined;
  children: ReactNode;
}

export const MenuItem = ({ icon, onSelect, isDangerous = false, whyNot, children }: MenuItemProps) => (
  <Base.Item
    className="menu-item"
    data-danger={isDangerous ? '' : undefined}
    disabled={whyNot !== undefined}
    title={whyNot}
    onClick={onSelect}
  >
    {icon}
    <span>
      {children}
      {whyNot === undefined ? null : <small className="block">{whyNot}</small>}
    </span>
  </Base.Item>
);

export interface MenuCheckProps {
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  children: ReactNode;
}

/** An entry that is on or off; the menu stays open, because others may follow. */
export const MenuCheck = ({ isOn, onChange, children }: MenuCheckProps) => (
  <Base.CheckboxItem className="menu-item" checked={isOn} onCheckedChange={onChange} closeOnClick={false}>
    <Check aria-hidden="true" className={isOn ? undefined : 'invisible'} />
    {children}
  </Base.CheckboxItem>
);

export const MenuNote = ({ children }: { children: ReactNode }) => <div className="menu-note">{children}</div>;
export const MenuLine = () => <Base.Separator className="menu-line" />;
