import type { Alert, AlertChannel, AlertMessage, AlertRule } from '@berth/client';
import { BellRing, Check, Clock, Siren } from 'lucide-react';
import { useAlertRules } from '../../data/alerts.ts';
import { Time } from '../../parts/time.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { ChannelIcon } from './channel-kinds.tsx';

const words = pageTexts.alerts.life;
const MAX_SHOWN = 6;

const kindWords: Record<AlertMessage['kind'], string> = {
  opened: '',
  reminder: `, ${words.reminder}`,
  resolved: `, ${words.over}`,
};

const Message = ({ message, channel }: { message: AlertMessage; channel: AlertChannel | undefined }) => {
  const { kind, at, ok, error } = message;
  return (
    <li data-next={ok === null ? '' : undefined}>
      {ok === null || channel === undefined ? <Clock aria-hidden="true" /> : <ChannelIcon kind={channel.kind} />}
      <span className="min-w-0" title={error ?? undefined}>
        <bdi>{channel?.name ?? words.gone}</bdi>
        {kindWords[kind]} <Time at={at} as="moment" />
        {ok === false ? <b className="text-bad"> {words.failed}</b> : null}
        {ok === null ? ` ${words.waiting}` : ''}
        {error === null ? null : (
          <small>
            {' '}
            <bdi>{error}</bdi>
          </small>
        )}
      </span>
    </li>
  );
};

const MINUTE_MS = 60_000;

/** When those who were told are reminded. Undefined: never, or not before what still waits was sent. */
export const findReminder = (
  { messages, acknowledged_at: acknowledgedAt, resolved_at: resolvedAt }: Alert,
  rule: Pick<AlertRule, 'remind_every_minutes' | 'enabled'> | undefined,
): string | undefined => {
  const minutes = rule?.enabled === true ? rule.remind_every_minutes : null;
  const last = messages.findLast(({ kind }) => kind !== 'resolved');
  if (minutes === null || last === undefined || acknowledgedAt !== null || resolvedAt !== null) return undefined;
  if (messages.some(({ ok }) => ok === null)) return undefined;
  return new Date(Date.parse(last.at) + minutes * MINUTE_MS).toISOString();
};

export interface LifeLineProps {
  alert: Alert;
  /** Undefined while they are read. */
  channels: readonly AlertChannel[] | undefined;
}

/** Who was told, when, and what comes next. */
export const LifeLine = ({ alert, channels }: LifeLineProps) => {
  const { messages, opened_at: openedAt, acknowledged_at: acknowledgedAt } = alert;
  const shown = messages.slice(-MAX_SHOWN);
  const earlier = messages.length - shown.length;
  const { data: rules } = useAlertRules();
  const reminder = findReminder(
    alert,
    rules?.find(({ id }) => id === alert.rule_id),
  );
  if (channels === undefined) return null;
  return (
    <ol className="life" aria-label={words.list}>
      <li>
        <Siren aria-hidden="true" />
        <span>
          {words.opened} <Time at={openedAt} as="moment" />
        </span>
      </li>
      {earlier > 0 ? <li>{words.earlier(earlier)}</li> : null}
      {messages.length === 0 ? <li>{words.nobody}</li> : null}
      {shown.map((message) => (
        <Message key={message.id} message={message} channel={channels.find(({ id }) => id === message.channel_id)} />
      ))}
      {acknowledgedAt === null ? null : (
        <li>
          <Check aria-hidden="true" />
          <span>
            {words.acknowledged} <Time at={acknowledgedAt} as="moment" />
          </span>
        </li>
      )}
      {reminder === undefined ? null : (
        <li data-next="">
          <BellRing aria-hidden="true" />
          <span>
            {words.next} <Time at={reminder} as="moment" />
            {words.nextEnd}
          </span>
        </li>
      )}
    </ol>
  );
};
