import type { Snapshot } from '@berth/client';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useAction } from '../../../data/action.ts';
import { berth } from '../../../data/berth.ts';
import { keys } from '../../../data/keys.ts';
import { useSnapshots } from '../../../data/snapshots.ts';
import { Button } from '../../../parts/button.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { Card } from '../../../parts/surfaces.tsx';
import { Time } from '../../../parts/time.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';

const words = pageTexts.terminalSettings;

interface RowProps {
  snapshot: Snapshot;
  isBusy: boolean;
  onDelete: () => void;
}

const Row = ({ snapshot, isBusy, onDelete }: RowProps) => {
  const { id, created_at: at, cause, charts, experts, is_complete: isComplete } = snapshot;
  return (
    <li>
      <span className="min-w-0">
        <Time at={at} /> · {words.snapshot(charts, experts)}{' '}
        <small>
          {words.snapshotCauses[cause]}
          {isComplete ? '' : ` · ${words.incomplete}`}
        </small>
      </span>
      <span className="flex items-center gap-2">
        <Link to="/terminals" search={{ create: true, snapshot: id }} className="link">
          {words.createFrom}
        </Link>
        <Button
          kind="bare"
          icon={<X />}
          aria-label={`${words.deleteSnapshot}: ${words.snapshot(charts, experts)}`}
          title={words.deleteSnapshot}
          isBusy={isBusy}
          onClick={onDelete}
        />
      </span>
    </li>
  );
};

/** What the terminal was set up with, and new terminals from it. */
export const Snapshots = ({ terminalId }: { terminalId: string }) => {
  const touches = () => [keys.terminals.snapshots(terminalId)];
  const { data, error, refetch } = useSnapshots(terminalId);
  const take = useAction({
    run: () => berth.terminals.takeSnapshot(terminalId),
    done: () => words.snapshotTaken,
    touches,
  });
  const remove = useAction({
    run: (id: string) => berth.terminals.deleteSnapshot(terminalId, id),
    done: () => words.snapshotDeleted,
    touches,
  });
  return (
    <Card title={words.snapshotsTitle} className="form-card">
      <p className="text-ink-2">{words.snapshotsText}</p>
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 ? <p className="field-note">{words.snapshotsNone}</p> : null}
      <ul className="url-list">
        {data?.map((snapshot) => (
          <Row
            key={snapshot.id}
            snapshot={snapshot}
            isBusy={remove.isRunning}
            onDelete={() => remove.run(snapshot.id)}
          />
        ))}
      </ul>
      <div>
        <Button isBusy={take.isRunning} onClick={() => take.run(undefined)}>
          {words.takeSnapshot}
        </Button>
      </div>
    </Card>
  );
};
