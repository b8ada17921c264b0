import type { Webhook } from '@berth/client';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Unplug } from 'lucide-react';
import { isGone } from '../../data/query-client.ts';
import { Banner } from '../../parts/banner.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Failure } from '../../parts/failure.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Sheet } from '../../parts/surfaces.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { toZoned } from '../../parts/time.tsx';
import { useNow } from '../../parts/clock.ts';
import { WEBHOOK_FAILING_DAYS } from '@berth/contract/values';
import { pageTexts } from '../../texts/page-texts.ts';
import { DeliveriesTab } from './deliveries-tab.tsx';
import { webhookTabs } from './search.ts';
import { SignatureTab } from './signature-tab.tsx';
import { useTest, useWebhook } from './webhook-data.ts';
import { WebhookHead } from './webhook-head.tsx';

const words = pageTexts.webhook;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Since when nothing arrives, and when Berth gives up. */
const FailingBanner = ({ webhook: { status, failing_since: since } }: { webhook: Webhook }) => {
  const now = useNow(MINUTE_MS);
  if (status !== 'active' || since === null) return null;
  const [from, until] = [Date.parse(since), Date.parse(since) + WEBHOOK_FAILING_DAYS * DAY_MS];
  return (
    <Banner kind="warning">
      {words.failing} <span className="figure">{toZoned(from, now)}</span>. {words.failingEnd}{' '}
      <span className="figure">{toZoned(until, now)}</span>.
    </Banner>
  );
};

const Shown = ({ webhook }: { webhook: Webhook }) => {
  const { tab = 'deliveries' } = useSearch({ from: '/in/account/webhooks/$id' });
  const navigate = useNavigate({ from: '/account/webhooks/$id' });
  const test = useTest(webhook.id, ({ id }) => void navigate({ search: { delivery: id } }));
  return (
    <>
      <WebhookHead webhook={webhook} test={test} />
      <FailingBanner webhook={webhook} />
      <Tabs label={words.tabsLabel}>
        {webhookTabs.map((name) => (
          <Link
            key={name}
            to="/account/webhooks/$id"
            params={{ id: webhook.id }}
            search={name === 'deliveries' ? {} : { tab: name }}
            className="tab"
            activeOptions={{ exact: true }}
            aria-current={name === tab ? 'page' : undefined}
          >
            {words.tabs[name]}
          </Link>
        ))}
      </Tabs>
      <div className="pt-4">
        {tab === 'deliveries' ? <DeliveriesTab webhook={webhook} /> : <SignatureTab webhook={webhook} test={test} />}
      </div>
    </>
  );
};

const Gone = () => (
  <>
    <PageHead title={words.gone} />
    <Sheet>
      <EmptyState
        icon={<Unplug aria-hidden="true" />}
        title={words.gone}
        action={
          <Link to="/account" search={{ tab: 'webhooks' }} className="button" data-kind="primary">
            {words.toList}
          </Link>
        }
      >
        {words.goneText}
      </EmptyState>
    </Sheet>
  </>
);

const OfId = ({ id }: { id: string }) => {
  const { data, error, refetch } = useWebhook(id);
  if (isGone(error)) return <Gone />;
  return (
    <>
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined ? error === null ? <Skeleton className="h-64 w-full" /> : null : <Shown webhook={data} />}
    </>
  );
};

/** An endpoint: what it was sent, how it answered, and how it checks what it receives. */
export const WebhookPage = () => {
  const { id } = useParams({ from: '/in/account/webhooks/$id' });
  return <OfId key={id} id={id} />;
};
