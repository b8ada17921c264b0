import type { Terminal } from '@berth/client';
import { CircleHelp } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Skeleton } from '../../../parts/skeleton.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { useAddress } from '../address.ts';
import { toState } from '../state.ts';

const WhyPanel = lazy(async () => ({ default: (await import('./why-panel.tsx')).WhyPanel }));

/** Asked for by whom the advice does not suffice, of a terminal that does not run or may not trade; lists lead here, too. */
export const WhyLater = ({ terminal }: { terminal: Terminal }) => {
  const { search, change } = useAddress();
  const isOpen = search.why === true;
  if (toState(terminal) === 'ACTIVE' && !terminal.locked_reason) return null;
  return (
    <>
      <p className="mb-3">
        <Button
          kind="bare"
          icon={<CircleHelp />}
          aria-expanded={isOpen}
          onClick={() => change({ why: isOpen ? undefined : true }, { replace: true })}
        >
          {pageTexts.why.title}
        </Button>
      </p>
      {isOpen ? (
        <Suspense fallback={<Skeleton className="h-40 w-full" />}>
          <WhyPanel terminal={terminal} />
        </Suspense>
      ) : null}
    </>
  );
};
