import type { WebhookDelivery } from '@berth/client';
import { Figure } from '../../parts/figure.tsx';
import { StatusMark, type Tone } from '../../parts/status-mark.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { ZoneNote } from '../../parts/zone.tsx';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.webhook;
const { columns } = words;

const tones: Record<WebhookDelivery['status'], Tone> = { pending: 'wait', succeeded: 'good', failed: 'bad' };
export const toTone = (status: WebhookDelivery['status']): Tone => tones[status];

/** What the endpoint answered last: "204", "no answer". */
export const toAnswer = ({ attempts }: WebhookDelivery): string => {
  const last = attempts.at(-1);
  if (last === undefined) return words.notTried;
  return last.response_status === null ? words.noAnswer : String(last.response_status);
};

const toMark = (delivery: WebhookDelivery): string =>
  delivery.status === 'failed' ? `${toAnswer(delivery)}, ${words.givenUp}` : toAnswer(delivery);

const Row = ({ delivery, onOpen }: { delivery: WebhookDelivery; onOpen: (id: string) => void }) => {
  const { id, status, event_type: type, attempts, next_attempt_at: next, created_at: createdAt } = delivery;
  return (
    <tr>
      <td data-card="name" className="wide">
        <button type="button" className="row-name row-link" aria-haspopup="dialog" onClick={() => onOpen(id)}>
          <b className="font-figures">{type}</b>
        </button>
      </td>
      <td data-card="below">
        <StatusMark tone={toTone(status)}>{toMark(delivery)}</StatusMark>
        {status === 'pending' && attempts.length > 0 && next !== null ? (
          <small>
            {', '}
            {words.again} <Time at={next} as="moment" />
          </small>
        ) : null}
      </td>
      <td className="num max-desk:hidden">
        <Figure value={attempts.at(-1)?.ms} unit="ms" />
      </td>
      <td data-card="end" className="num">
        <Time at={createdAt} as="moment" />
      </td>
    </tr>
  );
};

export interface DeliveryTableProps {
  /** Undefined while they are read. */
  deliveries: readonly WebhookDelivery[] | undefined;
  onOpen: (id: string) => void;
}

export const DeliveryTable = ({ deliveries, onOpen }: DeliveryTableProps) => (
  <>
    <Table
      caption={words.caption}
      columns={[
        columns.event,
        columns.answer,
        { number: columns.took, className: 'max-desk:hidden' },
        { number: columns.at },
      ]}
      items={deliveries}
      expected={6}
    >
      {(delivery) => <Row key={delivery.id} delivery={delivery} onOpen={onOpen} />}
    </Table>
    <ZoneNote />
  </>
);
