import { pageTexts } from '../texts/page-texts.ts';
import { Button } from './button.tsx';

const words = pageTexts.steps;

export interface CursorPagerProps {
  isFirst: boolean;
  /** Where the next page begins; null: there is none. */
  next: string | null;
  onGo: (after: string | undefined) => void;
}

/** A list that grows at its beginning has no numbered pages. */
export const CursorPager = ({ isFirst, next, onGo }: CursorPagerProps) =>
  isFirst && next === null ? null : (
    <nav className="mt-3 flex justify-end gap-3" aria-label={pageTexts.frame.pager.pages}>
      <Button whyNot={isFirst ? words.isNewest : undefined} onClick={() => onGo(undefined)}>
        {words.newest}
      </Button>
      <Button isStep whyNot={next === null ? words.isOldest : undefined} onClick={() => onGo(next ?? undefined)}>
        {words.older}
      </Button>
    </nav>
  );
