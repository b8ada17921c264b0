import { MAX_WEBHOOKS } from '@berth/contract/values';
import { Plus, Webhook as WebhookIcon } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Listing } from '../../../parts/listing.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { CreateWebhook } from '../../../parts/webhook/webhook-form.tsx';
import { WebhookTable } from './webhook-table.tsx';
import { useWebhooks } from './webhooks-data.ts';

const words = pageTexts.webhooks;

/** The endpoints that are sent what happens. */
export const WebhooksTab = () => {
  const webhooks = useWebhooks();
  const { data } = webhooks;
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <p className="min-w-0 flex-1 basis-72 text-ink-2">{words.lead}</p>
        {data === undefined ? null : (
          <span className="figure text-ink-3">{words.total(data.length, MAX_WEBHOOKS)}</span>
        )}
        <Button kind="primary" icon={<Plus />} onClick={() => setCreating(true)}>
          {words.create}
        </Button>
      </div>
      <Listing
        reading={webhooks}
        empty={{ icon: <WebhookIcon aria-hidden="true" />, title: words.none, children: words.noneText }}
      >
        <WebhookTable webhooks={data} />
      </Listing>
      {webhooks.isError && data === undefined ? null : <p className="table-foot">{words.foot}</p>}
      <CreateWebhook isOpen={isCreating} onClose={() => setCreating(false)} />
    </>
  );
};
