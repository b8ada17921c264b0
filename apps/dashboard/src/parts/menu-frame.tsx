import { Menu as Base } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import { useState, type HTMLAttributes, type ReactElement, type ReactNode } from 'react';
import { useIsAway } from '../data/presence.ts';
import { texts } from '../texts/texts.ts';

export interface MenuProps {
  /** The button that opens it. */
  trigger: ReactElement<HTMLAttributes<HTMLElement>>;
  children: ReactNode;
  side?: 'top' | 'bottom' | 'right';
}

export interface MenuItemProps {
  icon?: ReactNode;
  onSelect: () => void;
  isDangerous?: boolean;
  /** Why it is disabled; it stays in its place and says so. */
  whyNot?: string | undefined;
  /** As of a button: its action is running. One that has this is disabled while there is no contact. */
  isBusy?: boolean;
  children: ReactNode;
}

export interface MenuCheckProps {
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  /** Choosing it closes the menu: others that are on are off then. */
  closes?: boolean;
  children: ReactNode;
}

/** The menu that `menu.tsx` loads. It is opened once its button is there, by which it is placed: before, it would be in a corner. */
export const MenuFrame = ({ trigger, children, side = 'bottom' }: MenuProps) => {
  const [isOpen, setOpen] = useState(true);
  const [button, setButton] = useState<HTMLElement | null>(null);
  return (
    <Base.Root open={isOpen && button !== null} onOpenChange={setOpen}>
      <Base.Trigger render={trigger} ref={setButton} />
      <Base.Portal>
        <Base.Positioner className="above" side={side} align="end" sideOffset={6} collisionPadding={8}>
          <Base.Popup className="menu">{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
};

export const MenuItem = ({ icon, onSelect, isDangerous = false, whyNot, isBusy, children }: MenuItemProps) => {
  const isOff = useIsAway() && isBusy !== undefined;
  const reason = isOff ? texts.noContact : whyNot;
  return (
    <Base.Item
      className="menu-item"
      data-danger={isDangerous ? '' : undefined}
      disabled={isBusy || reason !== undefined}
      title={reason}
      // The second click of a double click may still meet it while the menu fades.
      onClick={({ detail }) => (detail > 1 ? undefined : onSelect())}
    >
      {icon}
      <span>
        {children}
        {reason === undefined ? null : <small className="block">{reason}</small>}
      </span>
    </Base.Item>
  );
};

/** An entry that is on or off; the menu stays open, because others may follow, unless it says otherwise. */
export const MenuCheck = ({ isOn, onChange, closes = false, children }: MenuCheckProps) => (
  <Base.CheckboxItem className="menu-item" checked={isOn} onCheckedChange={onChange} closeOnClick={closes}>
    <Check aria-hidden="true" className={isOn ? undefined : 'invisible'} />
    {children}
  </Base.CheckboxItem>
);

export const MenuNote = ({ children }: { children: ReactNode }) => <div className="menu-note">{children}</div>;
export const MenuLine = () => <Base.Separator className="menu-line" />;
