import { Select } from './field.tsx';
import { zoneName } from './zone.tsx';

export interface ZoneFieldProps {
  label: string;
  name: string;
  value: string;
  onChange: (zone: string) => void;
}

/** A time zone, by its IANA name. One that this browser does not know stays a choice. */
export const ZoneField = ({ label, name, value, onChange }: ZoneFieldProps) => (
  <Select label={label} name={name} value={value} onChange={({ target }) => onChange(target.value)}>
    {[...new Set([value, zoneName, 'UTC', ...Intl.supportedValuesOf('timeZone')])].map((zone) => (
      <option key={zone}>{zone}</option>
    ))}
  </Select>
);
