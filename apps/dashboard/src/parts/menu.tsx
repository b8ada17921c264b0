import { cloneElement, Suspense, useState } from 'react';
import { later } from './later.tsx';
import type { MenuProps } from './menu-frame.tsx';

const load = () => import('./menu-frame.tsx');
const MenuFrame = later(async () => (await load()).MenuFrame);

export const MenuItem = later(async () => (await load()).MenuItem);
/** An entry that is on or off; the menu stays open, because others may follow. */
export const MenuCheck = later(async () => (await load()).MenuCheck);
export const MenuNote = later(async () => (await load()).MenuNote);
export const MenuLine = later(async () => (await load()).MenuLine);

const preload = (): void => {
  for (const part of [MenuFrame, MenuItem, MenuCheck, MenuNote, MenuLine]) void part.preload();
};

/** A button with a menu, whose code is loaded when somebody is about to press the button. */
export const Menu = (props: MenuProps) => {
  const [isWanted, setWanted] = useState(false);
  const button = cloneElement(props.trigger, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onPointerEnter: preload,
    onFocus: preload,
    onClick: () => setWanted(true),
  });
  if (!isWanted) return button;
  return (
    <Suspense fallback={button}>
      <MenuFrame {...props} />
    </Suspense>
  );
};
