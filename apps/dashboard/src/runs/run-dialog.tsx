import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Shape, type Tone } from '../parts/status-mark.tsx';
import { pageTexts } from '../texts/page-texts.ts';
import { texts } from '../texts/texts.ts';
import { RunProgress, toSentence } from './run-progress.tsx';
import { isOver, toCounts, type ItemState, type Run, type RunItem } from './run.ts';
import { removeRun, showRun } from './store.ts';

const words = pageTexts.runs;

const tones: Record<ItemState, Tone> = { asked: 'wait', waiting: 'wait', done: 'good', failed: 'bad' };
/** What wants somebody comes first. */
const order: Record<ItemState, number> = { failed: 0, asked: 1, waiting: 1, done: 2 };

/** Until they are measured. */
const ROW_PX = 34;
const FAILED_ROW_PX = 74;

const Item = ({ item: { terminalId, name, state, reason, code } }: { item: RunItem }) => {
  const address: string = `/terminals/${terminalId}`;
  return (
    <>
      <span data-tone={tones[state]} className="inline-flex pt-[6px]">
        <Shape tone={tones[state]} />
      </span>
      <span className="min-w-0 flex-1">
        <span className="run-line">
          <Link to={address} className="row-name flex-1" onClick={() => showRun(undefined)}>
            <bdi>{name}</bdi>
          </Link>
          <small>{words.states[state]}</small>
        </span>
        {state === 'failed' ? <bdi className="run-reason">{reason ?? words.unknownReason}</bdi> : null}
        {state === 'failed' && code !== undefined ? (
          <span className="run-advice">{pageTexts.taskWords.advice[code]}</span>
        ) : null}
      </span>
    </>
  );
};

/** Every terminal with what came of it; only the rows that are seen are drawn. */
const Items = ({ run }: { run: Run }) => {
  const box = useRef<HTMLDivElement>(null);
  const items = useMemo(() => [...run.items.values()].sort((a, b) => order[a.state] - order[b.state]), [run.items]);
  // What it gives back changes with scrolling, so nothing of it may be kept: this component is drawn anew each time.
  // eslint-disable-next-line react-hooks/incompatible-library
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: (index) => (items[index]?.state === 'failed' ? FAILED_ROW_PX : ROW_PX),
    getItemKey: (index) => `${items[index]?.terminalId} ${items[index]?.state}`,
    overscan: 8,
  });
  return (
    <div className="run-items" ref={box} tabIndex={0} role="group" aria-label={words.results}>
      <div className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, key, start }) => {
          const item = items[index];
          return item === undefined ? null : (
            <div
              key={key}
              className="run-item"
              data-index={index}
              ref={rows.measureElement}
              style={{ transform: `translateY(${start}px)` }}
            >
              <Item item={item} />
            </div>
          );
        })}
      </div>
    </div>
  );
};

const close = (run: Run): void => {
  showRun(undefined);
  // What is over and well has nothing more to tell.
  if (isOver(run) && toCounts(run).failed === 0) removeRun(run.id);
};

const Retry = ({ run }: { run: Run }) => {
  const failed = [...run.items.values()].filter(({ state }) => state === 'failed');
  if (failed.length === 0 || !isOver(run)) return null;
  const again = (): void => {
    const id = run.again(failed.map(({ terminalId, name }) => ({ id: terminalId, name })));
    if (id === undefined) return;
    removeRun(run.id);
    showRun(id);
  };
  return (
    <Button kind="primary" onClick={again}>
      {words.retry(failed.length)}
    </Button>
  );
};

/** How a run goes, and what came of it on each terminal. It may be closed at any time. */
export const RunDialog = ({ run }: { run: Run }) => (
  <Dialog title={run.title} isOpen onClose={() => close(run)} description={toSentence(run)} hasOwnActions>
    <RunProgress run={run} />
    {run.calls.total > 1 ? <p className="field-note">{words.calls(run.calls.answered, run.calls.total)}</p> : null}
    {run.error === undefined ? null : (
      <p className="field-error" role="alert">
        {run.error}
      </p>
    )}
    <Items run={run} />
    <p className="field-note">
      {isOver(run) ? null : words.goesOn}{' '}
      {run.requestIds.length === 0 ? null : <span className="break-all">{words.requests(run.requestIds)}</span>}
    </p>
    <div className="dialog-foot">
      <Button onClick={() => close(run)}>{texts.close}</Button>
      <Retry run={run} />
    </div>
  </Dialog>
);
