import type { Webhook } from '@berth/client';
import { Link, useNavigate } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useAction, type Action } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/item-dialog.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useCommands } from '../../data/commands.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { EditWebhook } from '../../parts/webhook/webhook-form.tsx';
import { WebhookStatus } from '../../parts/webhook/webhook-status.tsx';
import { EventNames } from '../../parts/webhook/event-names.tsx';
import { toShortUrl } from '../../parts/webhook/short-url.ts';
import { useSwitch } from './webhook-data.ts';

const words = pageTexts.webhook;

interface OneProps {
  webhook: Webhook;
  isOpen: boolean;
  onClose: () => void;
}

const DisableDialog = ({ webhook, isOpen, onClose }: OneProps) => {
  const { run, isRunning } = useSwitch(webhook.id, onClose);
  return (
    <Confirm
      item={isOpen || undefined}
      title={words.disableTitle}
      lead={words.disableLead}
      verb={words.disable}
      action={{ run: () => run('disabled'), isRunning }}
      onClose={onClose}
    />
  );
};

const DeleteDialog = ({ webhook, isOpen, onClose }: OneProps) => {
  const navigate = useNavigate();
  const remove = useAction({
    run: () => berth.webhooks.delete(webhook.id),
    done: () => words.deleted,
    touches: () => [keys.webhooks.list],
    onDone: () => void navigate({ to: '/account', search: { tab: 'webhooks' } }),
  });
  return (
    <Confirm
      item={isOpen || undefined}
      title={words.deleteTitle}
      lead={words.deleteLead}
      typed={words.deleteWord}
      verb={words.delete}
      action={remove}
      onClose={onClose}
    />
  );
};

const Crumb = () => (
  <>
    <Link to="/account">{pageTexts.frame.pages.account}</Link>
    {' / '}
    <Link to="/account" search={{ tab: 'webhooks' }}>
      {pageTexts.account.tabs.webhooks}
    </Link>
  </>
);

/** Its address, its status, and what can be done with it. */
export const WebhookHead = ({ webhook, test }: { webhook: Webhook; test: Action<void> }) => {
  const [dialog, setDialog] = useState<'edit' | 'disable' | 'delete'>();
  const close = (): void => setDialog(undefined);
  const { run: switchTo, isRunning } = useSwitch(webhook.id);
  const isActive = webhook.status === 'active';
  const whyNot = isActive ? undefined : words.testWhyNot;
  const { run: runTest } = test;
  useCommands(
    useMemo(() => [{ id: 'webhook.test', name: words.test, whyNot, run: () => runTest() }], [whyNot, runTest]),
  );
  return (
    <PageHead
      title={toShortUrl(webhook.url)}
      crumb={<Crumb />}
      tools={
        <>
          {isActive ? (
            <Button onClick={() => setDialog('disable')}>{words.disable}</Button>
          ) : (
            <Button isBusy={isRunning} onClick={() => switchTo('active')}>
              {words.enable}
            </Button>
          )}
          <Button onClick={() => setDialog('edit')}>{pageTexts.webhooks.edit}</Button>
          <Button kind="primary" whyNot={whyNot} isBusy={test.isRunning} onClick={() => runTest()}>
            {words.test}
          </Button>
          <Button
            kind="danger"
            icon={<Trash2 />}
            aria-label={words.delete}
            title={words.delete}
            onClick={() => setDialog('delete')}
          />
        </>
      }
    >
      <WebhookStatus webhook={webhook} />
      <EventNames names={webhook.events} />
      <EditWebhook webhook={dialog === 'edit' ? webhook : undefined} onClose={close} />
      <DisableDialog webhook={webhook} isOpen={dialog === 'disable'} onClose={close} />
      <DeleteDialog webhook={webhook} isOpen={dialog === 'delete'} onClose={close} />
    </PageHead>
  );
};
