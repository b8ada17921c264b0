import { pageTexts } from '../texts/page-texts.ts';
import { texts } from '../texts/texts.ts';

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
  return (
    <span className="figure">
      {value.toLocaleString(texts.locale, options)}
      {unit === '%' ? unit : `\u00a0${unit}`}
    </span>
  );
};
