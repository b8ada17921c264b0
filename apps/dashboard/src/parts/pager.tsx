import { pageTexts } from '../texts/page-texts.ts';
import { Button } from './button.tsx';

export interface PagerProps {
  page: number;
  lastPage: number;
  onPage: (page: number) => void;
  /** How many there are in all, where that is to be shown. */
  of?: { total: number; perPage: number } | undefined;
}

/** The pages of a list; nothing where there is only one. */
export const Pager = ({ page, lastPage, onPage, of }: PagerProps) => {
  if (lastPage <= 1) return null;
  const { pages, previous, next, firstPage, lastPage: isLast, page: toText, range, last } = pageTexts.frame.pager;
  return (
    <nav className="mt-3 flex items-center justify-end gap-3" aria-label={pages}>
      {of === undefined ? null : (
        <span className="figure mr-auto">
          {range((page - 1) * of.perPage + 1, Math.min(page * of.perPage, of.total), of.total)}
        </span>
      )}
      <span className="figure text-ink-2">{toText(page, lastPage)}</span>
      <Button whyNot={page > 1 ? undefined : firstPage} onClick={() => onPage(page - 1)}>
        {previous}
      </Button>
      <Button whyNot={page < lastPage ? undefined : isLast} onClick={() => onPage(page + 1)}>
        {next}
      </Button>
      {of === undefined ? null : (
        <Button whyNot={page < lastPage ? undefined : isLast} onClick={() => onPage(lastPage)}>
          {last}
        </Button>
      )}
    </nav>
  );
};
