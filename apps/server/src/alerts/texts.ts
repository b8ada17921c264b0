/** What a message says, before it is put into the form of its channel. Names and reasons come from users and hosts: they are plain text. */
import {
  MAX_CHANNEL_MESSAGES_PER_HOUR,
  MAX_RULE_ALERTS_PER_HOUR,
  type AlertCondition,
  type AlertMessageKind,
} from '@berth/contract';
import { toPlainText, withoutLinks } from '../outbound/answer.ts';
import type { AlertSubject } from './records.ts';

const MAX_NAME = 60;
const MAX_REASON = 200;

const toName = (name: string): string => withoutLinks(toPlainText(name, MAX_NAME)) || 'without a name';

const titles: Readonly<Record<AlertCondition, { one: (name: string) => string; many: (count: number) => string }>> = {
  terminal_down: { one: (name) => `Terminal ${name} is down`, many: (count) => `${count} terminals are down` },
  login_failed: {
    one: (name) => `Terminal ${name} cannot log in`,
    many: (count) => `${count} terminals cannot log in`,
  },
  expert_failed: {
    one: (name) => `An expert failed on terminal ${name}`,
    many: (count) => `Experts failed on ${count} terminals`,
  },
  trading_off: {
    one: (name) => `Algo trading was switched off in terminal ${name}`,
    many: (count) => `Algo trading was switched off in ${count} terminals`,
  },
  task_failed: {
    one: (name) => `A task failed on terminal ${name}`,
    many: (count) => `Tasks failed on ${count} terminals`,
  },
  host_lost: {
    one: (name) => `The host of terminal ${name} is offline`,
    many: (count) => `The hosts of ${count} terminals are offline`,
  },
  risk_breached: {
    one: (name) => `Terminal ${name} broke a risk rule`,
    many: (count) => `${count} terminals broke risk rules`,
  },
};

/** What is the matter, in one line. */
export const toTitle = (when: AlertCondition, { terminals, host, names }: AlertSubject): string => {
  if (when === 'host_lost' && host !== null) return `Host ${toName(host)} is offline`;
  const { one, many } = titles[when];
  return terminals === 1 ? one(toName(names[0] ?? '')) : many(terminals);
};

/** `2026-01-31 08:15 UTC` */
const toTime = (iso: string): string => `${new Date(iso).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

export interface ToldAlert {
  when: AlertCondition;
  rule_name: string;
  subject: AlertSubject;
  opened_at: string;
  resolved_at: string | null;
}

/** What a message says. */
export interface MessageText {
  kind: AlertMessageKind | 'test';
  title: string;
  lines: string[];
  /** The page of the alerts; undefined: this server does not know by which address it is reached. */
  pageUrl: string | undefined;
  /** Acknowledges the alert; undefined also where nothing is left to do. */
  acknowledgeUrl: string | undefined;
}

const prefixes: Readonly<Record<AlertMessageKind, string>> = { opened: '', reminder: 'Still: ', resolved: 'Over: ' };

/** As was reported last: a terminal that is down may have others by now. */
const toPositions = ({ terminals, with_positions: open }: AlertSubject): string => {
  if (terminals === 1) return open === 0 ? 'Had no open positions' : 'Had open positions';
  return `With open positions: ${open}`;
};

interface MessageContext extends Pick<MessageText, 'pageUrl' | 'acknowledgeUrl'> {
  /** Messages that the channel took within the last hour. */
  sentInHour: number;
  /** Alerts of the rule that were opened within the hour before this one, with it. */
  openedInHour: number;
}

/** The links of a message, and what each says. */
export const toLinks = ({
  pageUrl,
  acknowledgeUrl,
}: Pick<MessageText, 'pageUrl' | 'acknowledgeUrl'>): { label: string; url: string }[] =>
  [
    { label: 'Open in Berth', url: pageUrl },
    { label: 'Acknowledge', url: acknowledgeUrl },
  ].flatMap(({ label, url }) => (url === undefined ? [] : [{ label, url }]));

export const toMessageText = (
  kind: AlertMessageKind,
  alert: ToldAlert,
  { pageUrl, acknowledgeUrl, sentInHour, openedInHour }: MessageContext,
): MessageText => {
  const { when, subject, rule_name: rule, opened_at: openedAt, resolved_at: resolvedAt } = alert;
  const isOver = kind === 'resolved' || resolvedAt !== null;
  const others = subject.terminals - subject.names.length;
  const names = subject.names.map(toName).join(', ') + (others > 0 ? ` and ${others} more` : '');
  const isNamed = subject.terminals > 1 || when === 'host_lost';
  const lines = [
    ...(isNamed ? [`Terminals: ${names}`] : []),
    ...(subject.host !== null && when !== 'host_lost' ? [`Host: ${toName(subject.host)}`] : []),
    ...(subject.reason !== null && !isOver ? [`Reason: ${withoutLinks(toPlainText(subject.reason, MAX_REASON))}`] : []),
    ...(subject.with_positions !== null && !isOver ? [toPositions(subject)] : []),
    `Since: ${toTime(openedAt)}`,
    ...(resolvedAt === null ? [] : [`Over since: ${toTime(resolvedAt)}`]),
    `Rule: ${toName(rule)}`,
    ...(kind === 'opened' && openedInHour === MAX_RULE_ALERTS_PER_HOUR
      ? [
          `This rule opened ${openedInHour} alerts within an hour. Further ones are told together when the hour is over.`,
        ]
      : []),
    ...(sentInHour + 1 >= MAX_CHANNEL_MESSAGES_PER_HOUR
      ? [`This channel had ${sentInHour + 1} messages within an hour. Further ones wait until the hour is over.`]
      : []),
  ];
  const title = prefixes[kind] + toTitle(when, subject);
  return { kind, title, lines, pageUrl, acknowledgeUrl: isOver ? undefined : acknowledgeUrl };
};

/** The text of a message that carries a screenshot: what that shows may be over by now. */
export const withScreenshotTime = (text: MessageText, takenAt: string): MessageText => ({
  ...text,
  lines: [...text.lines, `Screenshot: ${toTime(takenAt)}`],
});

export const testText: MessageText = {
  kind: 'test',
  title: 'This is a test of Berth',
  lines: ['Messages of alerts will look like this.'],
  pageUrl: undefined,
  acknowledgeUrl: undefined,
};
