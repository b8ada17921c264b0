import { useOverview } from '../../data/overview.ts';
import { Failure } from '../../parts/failure.tsx';
import { forOperators } from '../../parts/operator-page.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { Attention } from './attention.tsx';
import { Regions } from './regions.tsx';
import { Tiles } from './tiles.tsx';
import { LimitedUsers, TroubledTasks } from './troubled-tasks.tsx';

const words = pageTexts.overview;

const OperatorOverview = () => {
  const { data, error, refetch } = useOverview();
  const { online = 0, offline = 0, enrolled = 0 } = data?.hosts ?? {};
  return (
    <>
      <PageHead title={words.title}>
        {data === undefined ? null : (
          <span className="figure text-ink-3">{words.online(online, online + offline + enrolled)}</span>
        )}
      </PageHead>
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        <Skeleton className="mb-4 h-56 w-full" />
      ) : (
        <>
          <Attention overview={data} />
          <Tiles overview={data} />
          <TroubledTasks overview={data} />
          <LimitedUsers users={data.limited_users} />
        </>
      )}
      <Regions places={data?.regions} />
    </>
  );
};

export const OverviewPage = forOperators(words, OperatorOverview);
