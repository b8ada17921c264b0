import type { AlertChannel } from '@berth/client';
import { BellOff, Ellipsis, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useAction } from '../../data/action.ts';
import { useAlertChannels } from '../../data/alerts.ts';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Confirm } from '../../parts/item-dialog.tsx';
import { Menu, MenuItem, MenuLine } from '../../parts/menu.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { StatusMark } from '../../parts/status-mark.tsx';
import { Card, Sheet } from '../../parts/surfaces.tsx';
import { Time } from '../../parts/time.tsx';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { ChannelDialog } from './channel-form.tsx';
import { ChannelIcon, toShownSettings } from './channel-kinds.tsx';

const page = pageTexts.alerts;
const words = page.channels;

/** How it has been doing. */
const Note = ({ channel }: { channel: AlertChannel }) => {
  const { is_confirmed: isConfirmed, last_error: error, last_sent_at: sentAt } = channel;
  if (!isConfirmed) return <StatusMark tone="wait">{words.unconfirmed}</StatusMark>;
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
        <Menu trigger={<Button kind="bare" icon={<Ellipsis />} aria-label={words.more(name)} />}>
          <MenuItem icon={<Pencil />} onSelect={() => onEdit(channel)}>
            {words.edit}
          </MenuItem>
          <MenuLine />
          <MenuItem icon={<Trash2 />} isDangerous onSelect={() => onDelete(channel)}>
            {words.delete}
          </MenuItem>
        </Menu>
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
  const { data, error, refetch } = useAlertChannels();
  const [toEdit, setToEdit] = useState<AlertChannel>();
  const [toDelete, setToDelete] = useState<AlertChannel>();
  const remove = useAction({
    run: ({ id }: AlertChannel) => berth.alerts.channels.delete(id),
    done: (_nothing, { name }) => words.deleted(isolate(name)),
    touches: () => [keys.alerts.all],
    onDone: () => setToDelete(undefined),
  });
  return (
    <>
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      <div className="channels-grid">
        {data === undefined && error === null ? <Skeleton className="h-40 w-full" /> : null}
        {data === undefined ? null : (
          <Sheet>
            {data.length === 0 ? (
              <EmptyState icon={<BellOff aria-hidden="true" />} title={words.none}>
                {words.noneText}
              </EmptyState>
            ) : (
              <ul aria-label={words.list}>
                {data.map((channel) => (
                  <Row key={channel.id} channel={channel} onEdit={setToEdit} onDelete={setToDelete} />
                ))}
              </ul>
            )}
          </Sheet>
        )}
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
        item={toDelete}
        title={words.deleteTitle}
        lead={({ name }) => words.deleteLead(isolate(name))}
        verb={words.delete}
        action={remove}
        onClose={() => setToDelete(undefined)}
      />
    </>
  );
};
