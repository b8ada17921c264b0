import type { Webhook, WebhookAttempt, WebhookDelivery } from '@berth/client';
import { Copy, Terminal } from 'lucide-react';
import { Button } from '../../parts/button.tsx';
import { copyText } from '../../parts/copy.ts';
import { Figure } from '../../parts/figure.tsx';
import { SideSheet } from '../../parts/side-sheet.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { StatusMark } from '../../parts/status-mark.tsx';
import { Time } from '../../parts/time.tsx';
import { Moment } from '../../parts/zone.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';
import { toDeliveryCurl } from './curl.ts';
import { useEvent, useResend } from './webhook-data.ts';

const page = pageTexts.webhook;
const words = page.delivery;

/** Code or an answer, as it is: scrolled by keyboard, too. */
const Code = ({ label, children }: { label: string; children: string }) => (
  <pre className="code" data-wrap="" tabIndex={0} role="group" aria-label={label}>
    <bdi>{children}</bdi>
  </pre>
);

const Summary = ({ delivery }: { delivery: WebhookDelivery }) => {
  const { status, attempts, next_attempt_at: next, created_at: createdAt, event_id: eventId } = delivery;
  const last = attempts.at(-1);
  return (
    <p className="text-ink-2">
      {status === 'succeeded' && last !== undefined ? (
        <>
          <b>{words.delivered}</b> <Moment at={last.at} />.{' '}
        </>
      ) : null}
      {status === 'pending' ? (
        <>
          <b>{words.waiting}</b> {next === null || attempts.length === 0 ? words.atOnce : <Moment at={next} />}.{' '}
        </>
      ) : null}
      {status === 'failed' ? (
        <b>{last?.response_status === 410 || last === undefined ? words.stopped : words.failed} </b>
      ) : null}
      {eventId === null ? words.test : words.event(eventId.toLocaleString(texts.locale))} <Moment at={createdAt} />.
    </p>
  );
};

const Attempt = ({ attempt, isOpen }: { attempt: WebhookAttempt; isOpen: boolean }) => {
  const { at, response_status: status, response_excerpt: excerpt, ms, error } = attempt;
  return (
    <li>
      <details open={isOpen} className="attempt">
        <summary>
          <Time at={at} as="exact" />{' '}
          <StatusMark tone={error === null ? 'good' : 'bad'}>
            {status === null ? page.noAnswer : String(status)}
          </StatusMark>{' '}
          <Figure value={ms} unit="ms" />
        </summary>
        {error === null ? null : (
          <p className="mb-2 break-words">
            <bdi>{error}</bdi>
          </p>
        )}
        {excerpt === null ? null : excerpt === '' ? (
          <p className="none">{words.empty}</p>
        ) : (
          <Code label={words.answerBody}>{excerpt}</Code>
        )}
      </details>
    </li>
  );
};

const Body = ({ url, id, body }: { url: string; id: string; body: object }) => {
  const text = JSON.stringify(body, null, 2);
  return (
    <section>
      <div className="mb-2 flex flex-wrap items-center gap-3">
        <h3 className="min-w-0 flex-1 basis-56 font-semibold break-words">
          {words.request} <small className="font-normal">POST {url}</small>
        </h3>
        <Button icon={<Copy />} onClick={() => void copyText(JSON.stringify(body))}>
          {words.copyBody}
        </Button>
        <Button icon={<Terminal />} onClick={() => void copyText(toDeliveryCurl(url, id, body))}>
          {words.copyCurl}
        </Button>
      </div>
      <Code label={words.requestBody}>
        {[`content-type: application/json`, `webhook-id: ${id}`, '', text].join('\n')}
      </Code>
      <p className="field-note mt-2">{words.requestNote}</p>
    </section>
  );
};

const EventBody = ({ url, id, eventId }: { url: string; id: string; eventId: number }) => {
  const { data } = useEvent(eventId);
  if (data === undefined) return <Skeleton className="h-40 w-full" />;
  return data === null ? <p className="none">{words.noBody}</p> : <Body url={url} id={id} body={data} />;
};

/** A test is about nothing. */
const toTestBody = ({ created_at }: WebhookDelivery): object => ({
  id: null,
  type: 'webhook.test',
  occurred_at: created_at,
  ...{ terminal_id: null, project_id: null, data: {} },
});

const Details = ({ webhook, delivery }: { webhook: Webhook; delivery: WebhookDelivery }) => {
  const { run, isRunning } = useResend(webhook.id);
  const { id, event_id: eventId, attempts, status } = delivery;
  const isFresh = status === 'pending' && attempts.length === 0;
  const whyNot = webhook.status === 'active' ? (isFresh ? words.isWaiting : undefined) : page.testWhyNot;
  return (
    <>
      <Summary delivery={delivery} />
      <div className="side-foot">
        <Button kind="primary" whyNot={whyNot} isBusy={isRunning} onClick={() => run(id)}>
          {words.resend}
        </Button>
      </div>
      {attempts.length === 0 ? null : (
        <ol aria-label={words.attempts} className="grid gap-2">
          {attempts.toReversed().map((attempt, index) => (
            <Attempt key={`${attempt.at}${attempts.length - index}`} attempt={attempt} isOpen={index === 0} />
          ))}
        </ol>
      )}
      {eventId === null ? (
        <Body url={webhook.url} id={id} body={toTestBody(delivery)} />
      ) : (
        <EventBody url={webhook.url} id={id} eventId={eventId} />
      )}
    </>
  );
};

export interface DeliverySheetProps {
  webhook: Webhook;
  /** Undefined: it is not in the list. */
  delivery: WebhookDelivery | undefined;
  /** The list has been read. */
  isRead: boolean;
  onClose: () => void;
}

/** A delivery in full: what was sent, and how the endpoint answered each time. */
export const DeliverySheet = ({ webhook, delivery, isRead, onClose }: DeliverySheetProps) => (
  <SideSheet title={delivery?.event_type ?? words.title} isOpen onClose={onClose}>
    {delivery ? (
      <Details webhook={webhook} delivery={delivery} />
    ) : isRead ? (
      <p className="none">{words.gone}</p>
    ) : (
      <Skeleton className="h-40 w-full" />
    )}
  </SideSheet>
);
