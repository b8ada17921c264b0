import type { Webhook } from '@berth/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Inbox } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Chips } from '../../parts/chips.tsx';
import { CursorPager } from '../../parts/cursor-pager.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Shape } from '../../parts/status-mark.tsx';
import { Sheet } from '../../parts/surfaces.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { DayTiles } from './day-tiles.tsx';
import { DeliverySheet } from './delivery-sheet.tsx';
import { DeliveryTable, toTone } from './delivery-table.tsx';
import { ResendFailed } from './resend-failed.tsx';
import { deliveryFilters, type WebhookSearch } from './search.ts';
import { useDeliveries, useDelivery } from './webhook-data.ts';

const words = pageTexts.webhook;

/** What the endpoint was sent, newest first, and how it answered. */
export const DeliveriesTab = ({ webhook }: { webhook: Webhook }) => {
  const { status, after, delivery: shownId } = useSearch({ from: '/in/account/webhooks/$id' });
  const navigate = useNavigate({ from: '/account/webhooks/$id' });
  const go = (search: WebhookSearch): void => void navigate({ search, resetScroll: false });
  const { data, error, refetch } = useDeliveries(webhook.id, { status, after });
  const shown = useDelivery(webhook.id, shownId, data?.data ?? []);
  const [isResending, setResending] = useState(false);
  const here = { ...(status === undefined ? {} : { status }), ...(after === undefined ? {} : { after }) };
  const isAll = status === undefined && after === undefined;
  return (
    <>
      <DayTiles webhook={webhook} />
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <Chips
          label={words.filter}
          values={[undefined, ...deliveryFilters]}
          chosen={status}
          onChoose={(next) => go(next === undefined ? {} : { status: next })}
        >
          {(value) =>
            value === undefined ? (
              words.all
            ) : (
              <>
                <Shape tone={toTone(value)} />
                {words.filters[value]}
              </>
            )
          }
        </Chips>
        <div className="ml-auto">
          <Button
            whyNot={webhook.status === 'active' ? undefined : words.testWhyNot}
            onClick={() => setResending(true)}
          >
            {words.resendFailed.button}
          </Button>
        </div>
      </div>
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      {error !== null && data === undefined ? null : (
        <Sheet>
          {data?.data.length === 0 ? (
            <EmptyState icon={<Inbox aria-hidden="true" />} title={isAll ? words.none : words.noneOfThese}>
              {isAll ? words.noneText : words.noneOfTheseText}
            </EmptyState>
          ) : (
            <DeliveryTable deliveries={data?.data} onOpen={(id) => go({ ...here, delivery: id })} />
          )}
        </Sheet>
      )}
      <CursorPager
        isFirst={after === undefined}
        next={data?.pagination.next_cursor ?? null}
        onGo={(next) =>
          go({ ...(status === undefined ? {} : { status }), ...(next === undefined ? {} : { after: next }) })
        }
      />
      {shownId === undefined ? null : (
        <DeliverySheet
          key={shownId}
          webhook={webhook}
          delivery={shown}
          isRead={data !== undefined}
          onClose={() => go(here)}
        />
      )}
      <ResendFailed webhookId={webhook.id} isOpen={isResending} onClose={() => setResending(false)} />
    </>
  );
};
