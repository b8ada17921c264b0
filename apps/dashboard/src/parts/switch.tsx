import type { ReactNode } from 'react';

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

/** A switch that takes effect at once. */
export const Switch = ({ label, isOn, isBusy, onChange, children }: SwitchProps) => (
  <label className="switch">
    <input
      type="checkbox"
      role="switch"
      aria-label={label}
      checked={isOn}
      aria-disabled={isBusy || undefined}
      onChange={({ target }) => (isBusy ? undefined : onChange(target.checked))}
    />
    <span aria-hidden="true">{children}</span>
  </label>
);
