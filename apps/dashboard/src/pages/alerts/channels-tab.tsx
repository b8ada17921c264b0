import type { AlertChannel } from '@berth/client';
import { BellOff, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useAction } from '../../data/action.ts';
import { useAsked } from '../../data/asked.ts';
import { useAlertChannels } from '../../data/alerts.ts';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { useMails, useUser } from '../../data/session.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/item-dialog.tsx';
import { Listing } from '../../parts/listing.tsx';
import { MenuItem, MenuLine } from '../../parts/menu.tsx';
import { MoreMenu } from '../../parts/more-menu.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { StatusMark } from '../../parts/status-mark.tsx';
import { Card } from '../../parts/surfaces.tsx';
import { Time } from '../../parts/time.tsx';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { ChannelDialog } from './channel-form.tsx';
import { ChannelIcon, toShownSettings } from './channel-kinds.tsx';

const page = pageTexts.alerts;
const words = page.channels;

/** What has to be done before anything is sent. */
const Unconfirmed = ({ to = '' }: { to: string | undefined }) => {
  const { email } = useUser();
  const isOwn = to.toLowerCase() === email.toLowerCase();
  return (
    <>
      <StatusMark tone="wait">{isOwn ? words.unverified : words.unconfirmed}</StatusMark>{' '}
      {useMails() ? null : words.notMailed}
    </>
  );
};

/** How it has been doing. */
const Note = ({ channel }: { channel: AlertChannel }) => {
  const { is_confirmed: isConfirmed, last_error: error, last_sent_at: sentAt, settings } = channel;
  if (!isConfirmed) return <Unconfirmed to={settings.to} />;
  if (error !== null) {
    return (
      <>
        <StatusMark tone="bad">{words.fails}</StatusMark> <bdi className="break-words">{error}</bdi>
      </>
    );
  }
  return sentAt === null ? (
    <span className="none">{words.unused}</span>
  ) : (
    <span className="none">
      {words.lastSent} <Time at={sentAt} as="exact" />
    </span>
  );
};

interface RowProps {
  channel: AlertChannel;
  onEdit: (channel: AlertChannel) => void;
  onDelete: (channel: AlertChannel) => void;
}

type Tested = Awaited<ReturnType<typeof berth.alerts.channels.test>>;

/** What the other side answered to the last test. */
const Outcome = ({ tested: { is_sent: isSent, error, answer, response_status: status } }: { tested: Tested }) => (
  <p className="channel-note" role="status">
    <StatusMark tone={isSent ? 'good' : 'bad'}>{isSent ? words.testSent : (error ?? words.fails)}</StatusMark>
    {answer === null && status === null ? null : (
      <small className="block break-words">
        {words.testAnswer} {status} <bdi>{answer}</bdi>
      </small>
    )}
  </p>
);

const Row = ({ channel, onEdit, onDelete }: RowProps) => {
  const { id, name, kind } = channel;
  const [tested, setTested] = useState<Tested>();
  const test = useAction({
    run: () => berth.alerts.channels.test(id),
    touches: () => [keys.alerts.channels],
    onDone: setTested,
  });
  return (
    <li className="channel">
      <span className="channel-icon">
        <ChannelIcon kind={kind} />
      </span>
      <div className="min-w-0">
        <b className="block truncate">
          <bdi>{name}</bdi>
        </b>
        <small className="block truncate">
          {page.kinds[kind]} <bdi>{toShownSettings(channel)}</bdi>
        </small>
      </div>
      <div className="channel-tools">
        <Button isBusy={test.isRunning} aria-label={words.testOf(name)} onClick={() => test.run(undefined)}>
          {words.test}
        </Button>
        <MoreMenu label={words.more(name)}>
          <MenuItem icon={<Pencil />} onSelect={() => onEdit(channel)}>
            {words.edit}
          </MenuItem>
          <MenuLine />
          <MenuItem icon={<Trash2 />} isDangerous onSelect={() => onDelete(channel)}>
            {words.delete}
          </MenuItem>
        </MoreMenu>
      </div>
      {tested === undefined ? (
        <p className="channel-note">
          <Note channel={channel} />
        </p>
      ) : (
        <Outcome tested={tested} />
      )}
    </li>
  );
};

/** Where people are told. */
export const ChannelsTab = () => {
  const channels = useAlertChannels();
  const { data } = channels;
  const [toEdit, setToEdit] = useState<AlertChannel>();
  const remove = useAsked({
    run: ({ id }: AlertChannel) => berth.alerts.channels.delete(id),
    done: (_nothing, { name }) => words.deleted(isolate(name)),
    touches: () => [keys.alerts.all],
  });
  return (
    <>
      <div className="channels-grid">
        <div className="min-w-0">
          <Listing
            reading={channels}
            empty={{ icon: <BellOff aria-hidden="true" />, title: words.none, children: words.noneText }}
          >
            {data === undefined ? <Skeleton className="h-40 w-full" /> : null}
            <ul aria-label={words.list}>
              {data?.map((channel) => (
                <Row key={channel.id} channel={channel} onEdit={setToEdit} onDelete={remove.ask} />
              ))}
            </ul>
          </Listing>
        </div>
        <Card title={words.messagesTitle}>
          <ul className="ticks">
            {words.messages.map((message) => (
              <li key={message}>{message}</li>
            ))}
          </ul>
        </Card>
      </div>
      <ChannelDialog channel={toEdit} isOpen={toEdit !== undefined} onClose={() => setToEdit(undefined)} />
      <Confirm
        {...remove.dialog}
        title={words.deleteTitle}
        lead={({ name }) => words.deleteLead(isolate(name))}
        verb={words.delete}
      />
    </>
  );
};
