import type { Snapshot } from '@berth/client';
import { useState } from 'react';
import { useSnapshots } from '../../../data/snapshots.ts';
import { useFoundTerminals } from '../../../data/terminal-choices.ts';
import { Check } from '../../../parts/check.tsx';
import { useNow } from '../../../parts/clock.ts';
import { Failure } from '../../../parts/failure.tsx';
import { Field, Select } from '../../../parts/field.tsx';
import { toZoned } from '../../../parts/time.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';

const words = pageTexts.terminals.create.snapshot;
const settings = pageTexts.terminalSettings;

/** What a new terminal is set up with: that of another one at some time. */
export interface Origin {
  /** Undefined: not chosen yet. */
  snapshotId: string | undefined;
}

const toName = ({ created_at: at, cause, charts, experts, is_complete: isComplete }: Snapshot, now: number): string =>
  [
    toZoned(Date.parse(at), now),
    settings.snapshot(charts, experts),
    settings.snapshotCauses[cause],
    ...(isComplete ? [] : [settings.incomplete]),
  ].join(' · ');

interface SnapshotsProps {
  terminalId: string;
  chosen: string | undefined;
  error: string | undefined;
  onChoose: (snapshotId: string | undefined) => void;
}

const Snapshots = ({ terminalId, chosen, error, onChoose }: SnapshotsProps) => {
  const { data, error: failure, refetch } = useSnapshots(terminalId);
  const now = useNow(60_000);
  if (failure !== null) return <Failure error={failure} onRetry={() => void refetch()} />;
  return (
    <Select
      label={words.snapshot}
      value={chosen ?? ''}
      error={error}
      note={data?.length === 0 ? settings.snapshotsNone : undefined}
      onChange={({ target }) => onChoose(target.value === '' ? undefined : target.value)}
    >
      <option value="">{words.choose}</option>
      {data?.map((snapshot) => (
        <option key={snapshot.id} value={snapshot.id}>
          {toName(snapshot, now)}
        </option>
      ))}
    </Select>
  );
};

export interface SnapshotChoiceProps {
  origin: Origin | undefined;
  /** What is missing. */
  error: string | undefined;
  onChange: (origin: Origin | undefined) => void;
}

/** First the terminal, found by its name, then one of its snapshots. */
export const SnapshotChoice = ({ origin, error, onChange }: SnapshotChoiceProps) => {
  const [search, setSearch] = useState('');
  const [terminalId, setTerminalId] = useState('');
  const { data } = useFoundTerminals(search);
  const found = data?.data ?? [];
  const choose = (id: string): void => {
    setTerminalId(id);
    onChange({ snapshotId: undefined });
  };
  return (
    <>
      <Check
        label={words.use}
        isOn={origin !== undefined}
        onChange={(isOn) => {
          setTerminalId('');
          onChange(isOn ? { snapshotId: undefined } : undefined);
        }}
      />
      {origin === undefined ? null : (
        <div className="two-fields">
          <Field
            label={words.search}
            value={search}
            maxLength={255}
            autoComplete="off"
            onChange={({ target }) => {
              setSearch(target.value);
              choose('');
            }}
            onKeyDown={(event) => (event.key === 'Enter' ? event.preventDefault() : undefined)}
          />
          <Select
            label={words.terminal}
            value={terminalId}
            error={terminalId === '' ? error : undefined}
            note={data && found.length === 0 ? words.noMatch : undefined}
            onChange={({ target }) => choose(target.value)}
          >
            <option value="">{words.choose}</option>
            {found.map(({ id, name, login }) => (
              <option key={id} value={id}>
                {name === login ? login : `${name.slice(0, 60)} (${login})`}
              </option>
            ))}
          </Select>
        </div>
      )}
      {origin === undefined || terminalId === '' ? null : (
        <Snapshots
          key={terminalId}
          terminalId={terminalId}
          chosen={origin.snapshotId}
          error={error}
          onChoose={(snapshotId) => onChange({ snapshotId })}
        />
      )}
    </>
  );
};
