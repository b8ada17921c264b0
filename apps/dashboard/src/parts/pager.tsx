import { pageTexts } from '../texts/page-texts.ts';
import { Button } from './button.tsx';

export interface PagerProps {
  page: number;
  lastPage: number;
  onPage: (page: number) => void;
  /** How many there are in all, where that is to be shown. */
  of?:
    | {
        total: number;
        /** false: there are more. */
        isExact?: boolean;
        perPage: number;
        /** What a page can have, where that is a choice. */
        choices?: readonly number[];
        onChoose?: (perPage: number) => void;
      }
    | undefined;
}

const words = () => pageTexts.frame.pager;

const Extent = ({ page, of }: { page: number; of: NonNullable<PagerProps['of']> }) => {
  const { total, isExact = true, perPage, choices = [], onChoose } = of;
  return (
    <>
      <span className="figure">
        {words().range((page - 1) * perPage + 1, Math.min(page * perPage, total), total, isExact)}
      </span>
      {choices.length === 0 ? null : (
        <select
          className="input w-auto"
          data-compact=""
          aria-label={words().perPage}
          value={perPage}
          onChange={({ target }) => onChoose?.(Number(target.value))}
        >
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {words().rows(choice)}
            </option>
          ))}
        </select>
      )}
    </>
  );
};

/** The pages of a list; nothing where there is only one, and no other number of rows would make more of it. */
export const Pager = ({ page, lastPage, onPage, of }: PagerProps) => {
  const fewest = Math.min(...(of?.choices ?? []));
  if (lastPage <= 1 && !(of && of.total > fewest)) return null;
  const { pages, previous, next, firstPage, lastPage: isLast, page: toText, last } = words();
  return (
    <nav className="pager" aria-label={pages}>
      {of === undefined ? null : <Extent page={page} of={of} />}
      {lastPage <= 1 ? null : (
        <>
          <span className="figure ml-auto text-ink-2">{toText(page, lastPage)}</span>
          <Button isStep whyNot={page > 1 ? undefined : firstPage} onClick={() => onPage(page - 1)}>
            {previous}
          </Button>
          <Button isStep whyNot={page < lastPage ? undefined : isLast} onClick={() => onPage(page + 1)}>
            {next}
          </Button>
          {of === undefined ? null : (
            <Button whyNot={page < lastPage ? undefined : isLast} onClick={() => onPage(lastPage)}>
              {last}
            </Button>
          )}
        </>
      )}
    </nav>
  );
};
