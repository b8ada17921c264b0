import type { ReactNode } from 'react';
import { useIsAway } from '../data/presence.ts';
import { texts } from '../texts/texts.ts';

export interface SwitchProps {
  /** What it turns on or off, for those who cannot see what it stands beside. */
  label: string;
  isOn: boolean;
  /** The change is under way; it cannot be made twice. */
  isBusy: boolean;
  onChange: (isOn: boolean) => void;
  /** "On" or "Off", beside it. */
  children: ReactNode;
}

/** A switch that takes effect at once: it is disabled while there is no contact. */
export const Switch = ({ label, isOn, isBusy, onChange, children }: SwitchProps) => {
  const isOff = useIsAway();
  const cannot = isBusy || isOff;
  return (
    <label className="switch" title={isOff ? texts.noContact : undefined}>
      <input
        type="checkbox"
        role="switch"
        aria-label={label}
        aria-description={isOff ? texts.noContact : undefined}
        checked={isOn}
        aria-disabled={cannot || undefined}
        onChange={({ target }) => (cannot ? undefined : onChange(target.checked))}
      />
      <span aria-hidden="true">{children}</span>
    </label>
  );
};
