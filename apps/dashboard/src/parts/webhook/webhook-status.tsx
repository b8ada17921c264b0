import type { Webhook } from '@berth/client';
import { StatusMark } from '../status-mark.tsx';
import { Time } from '../time.tsx';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.webhooks;

/** Its status, and below it why it is disabled, or since when it fails. */
export const WebhookStatus = ({ webhook }: { webhook: Webhook }) => {
  const { status, failing_since: failingSince, disabled_reason: reason } = webhook;
  if (status === 'disabled') {
    return (
      <span className="status-two">
        <StatusMark tone="rest">{words.statuses.disabled}</StatusMark>
        <small>{reason ?? words.byOwner}</small>
      </span>
    );
  }
  if (failingSince === null) return <StatusMark tone="good">{words.statuses.active}</StatusMark>;
  return (
    <span className="status-two">
      <StatusMark tone="bad">{words.failing}</StatusMark>
      <small>
        {words.failingSince} <Time at={failingSince} as="exact" />
      </small>
    </span>
  );
};
