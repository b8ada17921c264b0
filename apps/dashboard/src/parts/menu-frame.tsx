import { Menu as Base } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import type { MenuCheckProps, MenuItemProps, MenuProps } from './menu.tsx';

/** The menu that `menu.tsx` loads; it is opened at once. */
export const MenuFrame = ({ trigger, children, side = 'bottom' }: MenuProps) => (
  <Base.Root defaultOpen>
    <Base.Trigger render={trigger} />
    <Base.Portal>
      <Base.Positioner className="above" side={side} align="end" sideOffset={6} collisionPadding={8}>
        <Base.Popup className="menu">{children}</Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
);

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

/** An entry that is on or off; the menu stays open, because others may follow. */
export const MenuCheck = ({ isOn, onChange, children }: MenuCheckProps) => (
  <Base.CheckboxItem className="menu-item" checked={isOn} onCheckedChange={onChange} closeOnClick={false}>
    <Check aria-hidden="true" className={isOn ? undefined : 'invisible'} />
    {children}
  </Base.CheckboxItem>
);

export const MenuNote = ({ children }: { children: ReactNode }) => <div className="menu-note">{children}</div>;
export const MenuLine = () => <Base.Separator className="menu-line" />;
