import { pageTexts } from '../../texts/page-texts.ts';
import { toSign } from '../../data/decimal.ts';
import { formatDecimal } from './format.ts';

type Text = string | null | undefined;

const None = () => (
  <span className="figure none">
    <span aria-hidden="true">–</span>
    <span className="sr-only">{pageTexts.frame.figures.notMeasured}</span>
  </span>
);

export interface AmountProps {
  value: Text;
  /** Beside it, small. */
  currency?: string | undefined;
  digits?: number;
}

/** An amount of money, a price or a volume; a missing one is a dash with an explanation. */
export const Amount = ({ value, currency, digits }: AmountProps) => {
  const shown = formatDecimal(value, { digits });
  if (shown === undefined) return <None />;
  return (
    <span className="figure">
      {shown}
      {currency === undefined ? null : <small className="ccy">{`\u00a0${currency}`}</small>}
    </span>
  );
};

/** A result: its sign comes before its colour, so that it is read without. */
export const Result = ({ value, currency, digits }: AmountProps) => {
  const shown = formatDecimal(value, { digits, isSigned: true });
  if (shown === undefined) return <None />;
  return (
    <span className="figure pl" data-sign={toSign(value)}>
      {shown}
      {currency === undefined ? null : <small className="ccy">{`\u00a0${currency}`}</small>}
    </span>
  );
};
