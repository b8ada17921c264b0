import { pageTexts } from '../texts/page-texts.ts';
import { texts } from '../texts/texts.ts';

/** "3%", "12 ms": the percent sign follows its figure, any other unit a space that does not break. */
export const withUnit = (figure: string, unit: string): string => figure + (unit === '%' ? unit : `\u00a0${unit}`);

/** "27%", "99.8%". */
export const toPercentText = (percent: number, digits = 0): string =>
  withUnit(percent.toLocaleString(texts.locale, { maximumFractionDigits: digits }), '%');

export interface FigureProps {
  /** null: not measured. */
  value: number | null | undefined;
  unit: string;
  /** Decimal places; 0. */
  digits?: number;
}

/** A figure always has its unit; a missing one is a dash with an explanation. */
export const Figure = ({ value, unit, digits = 0 }: FigureProps) => {
  if (value === null || value === undefined) {
    return (
      <span className="figure none">
        <span aria-hidden="true">–</span>
        <span className="sr-only">{pageTexts.frame.figures.notMeasured}</span>
      </span>
    );
  }
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return <span className="figure">{withUnit(value.toLocaleString(texts.locale, options), unit)}</span>;
};
