import type { BulkRun, BulkRunItem, StepCode } from '@berth/client';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Failure } from '../parts/failure.tsx';
import { Pager } from '../parts/pager.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { Shape, type Tone } from '../parts/status-mark.tsx';
import { toStepAdvice } from '../parts/task/advice.ts';
import { pageTexts } from '../texts/page-texts.ts';
import { show } from './requests.ts';
import { findConfirmed } from './run.ts';
import { useItems } from './runs-data.ts';

const words = pageTexts.runs;

const tones: Record<BulkRunItem['state'], Tone> = {
  failed: 'bad',
  skipped: 'rest',
  canceled: 'rest',
  in_progress: 'wait',
  pending: 'wait',
  succeeded: 'good',
};

const toWord = (run: BulkRun, state: BulkRunItem['state']): string => {
  const confirmed = findConfirmed(run);
  if (confirmed && state === 'succeeded') return confirmed.done;
  return confirmed && state === 'failed' ? words.notConfirmed : words.states[state];
};

const Item = ({ run, item }: { run: BulkRun; item: BulkRunItem }) => {
  const { terminal_id: id, terminal_name: name, state, reason, code, warnings = [] } = item;
  const address: string = `/terminals/${id}`;
  return (
    <li className="run-item">
      <span data-tone={tones[state]} className="inline-flex pt-[6px]">
        <Shape tone={tones[state]} />
      </span>
      <span className="min-w-0 flex-1">
        <span className="run-line">
          {name === null ? (
            <span className="row-name flex-1">{words.noTerminal}</span>
          ) : (
            <Link to={address} className="row-name flex-1" onClick={() => show(undefined)}>
              <bdi>{name}</bdi>
            </Link>
          )}
          <small>{toWord(run, state)}</small>
        </span>
        {reason === null ? null : (
          <bdi className="run-reason" data-tone={tones[state]}>
            {reason}
          </bdi>
        )}
        {state === 'failed' && code !== null ? (
          <span className="run-advice">{toStepAdvice(code as StepCode, reason ?? '')}</span>
        ) : null}
        {state === 'failed' && name !== null ? (
          <Link to={address} className="link run-advice" onClick={() => show(undefined)}>
            {words.openTerminal}
          </Link>
        ) : null}
        {warnings.map((warning) => (
          <bdi key={warning} className="run-reason" data-tone="cut">
            {warning}
          </bdi>
        ))}
      </span>
    </li>
  );
};

/** Every terminal with its outcome: exceptions come first. */
export const RunItems = ({ run }: { run: BulkRun }) => {
  const [page, setPage] = useState(1);
  const { data, error, refetch } = useItems(run, page);
  if (data === undefined) {
    return error === null ? (
      <Skeleton className="h-40 w-full" />
    ) : (
      <Failure error={error} onRetry={() => void refetch()} />
    );
  }
  return (
    <>
      <div className="run-items" tabIndex={0} role="group" aria-label={words.results}>
        <ul>
          {data.data.map((item) => (
            <Item key={item.number} run={run} item={item} />
          ))}
        </ul>
      </div>
      <Pager
        page={page}
        lastPage={data.pagination.last_page}
        onPage={setPage}
        of={{
          total: data.pagination.total,
          isExact: data.pagination.is_total_exact !== false,
          perPage: data.pagination.per_page,
        }}
      />
    </>
  );
};
