import type { NewRiskRule, RiskTrial } from '@berth/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAction } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { serverNow } from '../../data/server-clock.ts';
import { Button } from '../../parts/button.tsx';
import { Select } from '../../parts/field.tsx';
import { Amount, Result } from '../../parts/money/amount.tsx';
import { minus, negate, sum, toSign } from '../../data/decimal.ts';
import { FormFailure } from '../../parts/form.tsx';
import { Sheet } from '../../parts/surfaces.tsx';
import { Time } from '../../parts/time.tsx';
import { ZoneNote } from '../../parts/zone.tsx';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.riskForm.trial;
const DAY_MS = 86_400_000;
const periods = [7, 30, 90] as const;
type Days = (typeof periods)[number];

interface Tried {
  trials: RiskTrial[];
  values: NewRiskRule;
}

/** The currencies of these accounts: what is in several of them has no sum. */
const useCurrencies = (ids: readonly string[]): ReadonlyMap<string, string> | undefined => {
  const sorted = [...new Set(ids)].sort();
  const { data } = useQuery({
    queryKey: keys.accounts.overview({ ids: sorted }),
    queryFn: ({ signal }) => berth.trading.overview({ ids: sorted }, { signal }),
    enabled: sorted.length > 0,
  });
  return data && new Map(data.data.accounts.map(({ terminal_id: id, currency }) => [id, currency]));
};

/** What the account would have had more at the day's end, had everything been closed when the rule acted. */
export const toDifference = ({ equity_then: then, equity_at_day_end: end }: RiskTrial): string | undefined =>
  minus(then, end);

const Lead = ({ trials, values, currencies }: Tried & { currencies: ReadonlyMap<string, string> | undefined }) => {
  if (trials.length === 0) return <p className="lead-say">{words.none}</p>;
  const count = <b>{words.days(trials.length)}</b>;
  if (!values.actions.includes('close_all')) {
    return (
      <p className="lead-say">
        {words.wouldHave} {count}. {words.noClose}
      </p>
    );
  }
  const known = new Set(trials.map(({ terminal_id: id }) => currencies?.get(id)));
  const [currency] = known;
  const total = known.size === 1 && currency !== undefined ? sum(trials.map(toDifference)) : undefined;
  const sign = toSign(total);
  return (
    <p className="lead-say">
      {words.wouldHave} {count}
      {sign === undefined ? (
        '.'
      ) : sign === '0' ? (
        ` ${words.same}`
      ) : (
        <>
          , {sign === '+' ? words.better : words.worse}{' '}
          <Amount value={sign === '+' ? total : negate(total)} currency={currency} />.
        </>
      )}
    </p>
  );
};

const Rows = ({ trials, names }: { trials: readonly RiskTrial[]; names: ReadonlyMap<string, string> }) => (
  <Sheet>
    <table className="table" data-dense="">
      <caption className="sr-only">{words.caption}</caption>
      <thead>
        <tr>
          <th scope="col">{words.columns.day}</th>
          <th scope="col">{words.columns.terminal}</th>
          <th scope="col" className="num from-wide">
            {words.columns.acted}
          </th>
          <th scope="col" className="num">
            {words.columns.then}
          </th>
          <th scope="col" className="num">
            {words.columns.end}
          </th>
          <th scope="col" className="num">
            {words.columns.difference}
          </th>
        </tr>
      </thead>
      <tbody>
        {trials.map((trial) => (
          <tr key={`${trial.terminal_id} ${trial.would_have_acted_at}`}>
            <td data-card="name" className="figure">
              {trial.day}
            </td>
            <td data-card="below" className="clip-ea">
              <bdi>{names.get(trial.terminal_id) ?? '…'}</bdi>
            </td>
            <td className="num from-wide">
              <Time at={trial.would_have_acted_at} as="moment" />
            </td>
            <td className="num">
              <Amount value={trial.equity_then} />
            </td>
            <td className="num">
              <Amount value={trial.equity_at_day_end} />
            </td>
            <td className="num" data-card="end">
              <Result value={toDifference(trial)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
    <ZoneNote />
  </Sheet>
);

const Outcome = ({ tried, names, isOld }: { tried: Tried; names: ReadonlyMap<string, string>; isOld: boolean }) => {
  const currencies = useCurrencies(tried.trials.map(({ terminal_id: id }) => id));
  return (
    <div className="tried" role="status">
      {isOld ? <p className="field-note">{words.outdated}</p> : null}
      <Lead {...tried} currencies={currencies} />
      {tried.trials.length === 0 ? null : <Rows trials={tried.trials} names={names} />}
      <p className="field-note">{words.note}</p>
    </div>
  );
};

export interface TrialProps {
  /** Undefined, where something that was typed is wrong: then that is shown. */
  toValues: () => NewRiskRule | undefined;
  /** What the form holds now, as text: an older outcome is marked. */
  current: string;
  names: ReadonlyMap<string, string>;
}

/** What a rule would have done in the past: before it is saved, and without changing anything. */
export const Trial = ({ toValues, current, names }: TrialProps) => {
  const [days, setDays] = useState<Days>(30);
  const [tried, setTried] = useState<Tried & { current: string }>();
  const { run, isRunning, error } = useAction({
    run: (values: NewRiskRule) => {
      const now = serverNow();
      const [from, to] = [now - days * DAY_MS, now].map((at) => new Date(at).toISOString());
      return berth.riskRules.try({ rule: values, from: from ?? '', to: to ?? '' });
    },
    onDone: (trials, values) => setTried({ trials, values, current }),
    isSilentOnError: true,
  });
  const start = (): void => {
    const values = toValues();
    if (values) run(values);
  };
  return (
    <section className="tried" aria-label={words.title}>
      <h2>{words.title}</h2>
      <p className="field-note">{words.text}</p>
      <div className="flex items-end gap-3">
        <Select
          label={words.period}
          value={days}
          onChange={({ target: { value } }) => setDays(periods.find((one) => String(one) === value) ?? 30)}
        >
          {periods.map((period) => (
            <option key={period} value={period}>
              {words.periods[period]}
            </option>
          ))}
        </Select>
        <Button isBusy={isRunning} onClick={start}>
          {words.run}
        </Button>
      </div>
      <FormFailure error={error} fields={[]} />
      {tried ? <Outcome tried={tried} names={names} isOld={tried.current !== current} /> : null}
    </section>
  );
};
