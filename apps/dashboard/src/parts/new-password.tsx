import { useEffect, useState } from 'react';
import type { Strength } from '../data/password-strength.ts';
import { texts } from '../texts/texts.ts';
import { Field, type FieldProps } from './field.tsx';

const words = texts.signIn.strength;
const levels: Record<Strength, number> = { common: 1, short: 1, weak: 1, fair: 2, strong: 3 };

/** What it says is a word; the bars are only as many as it has. */
const StrengthMark = ({ password }: { password: string }) => {
  const [strength, setStrength] = useState<Strength>();
  useEffect(() => {
    let isCurrent = true;
    void import('../data/password-strength.ts')
      .then(({ toStrength }) => (isCurrent ? setStrength(toStrength(password)) : undefined))
      // Without the hint, the server still refuses what it has to.
      .catch(() => undefined);
    return () => {
      isCurrent = false;
    };
  }, [password]);
  return (
    <p className="strength" role="status" data-level={strength && levels[strength]}>
      <span aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      {strength === undefined ? '' : words[strength]}
    </p>
  );
};

/** The field for a password that is chosen now: it says how good it is while it is typed. */
export const NewPasswordField = (field: FieldProps) => {
  const [typed, setTyped] = useState('');
  return (
    <div className="grid gap-1">
      <Field {...field} type="password" autoComplete="new-password" onChange={({ target }) => setTyped(target.value)} />
      {typed === '' ? null : <StrengthMark password={typed} />}
    </div>
  );
};
