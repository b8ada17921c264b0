import type { BulkRun } from '@berth/client';
import { useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useEffect } from 'react';
import { toErrorText, toRequestId } from '../data/action.ts';
import { notify } from '../data/notices.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Countdown } from '../parts/limited-banner.tsx';
import { useStop } from '../data/stop.ts';
import { pageTexts } from '../texts/page-texts.ts';
import { texts } from '../texts/texts.ts';
import { awaitedIds, show, type RunRequest } from './requests.ts';
import { RunDialog } from './run-dialog.tsx';
import { RunProgress } from './run-progress.tsx';
import { isInTray, isOver, toSentence, toTitle } from './run.ts';
import { dismissRun, useFollowing, useRun } from './runs-data.ts';

const words = pageTexts.runs;

/** Runs that ended with exceptions, and were not dismissed: the newest. */
const MAX_ENDED = 3;

const Strip = ({ run }: { run: BulkRun }) => {
  const client = useQueryClient();
  const title = toTitle(run);
  return (
    <div className="run-strip" role="status">
      <p>
        <b>{title}</b> {toSentence(run)}
      </p>
      <RunProgress run={run} />
      <Button onClick={() => show(run.id)}>{words.show}</Button>
      <Button
        kind="bare"
        icon={<X />}
        aria-label={words.dismiss(title)}
        whyNot={isOver(run) ? undefined : words.notOver}
        onClick={() => dismissRun(client, run.id)}
      />
    </div>
  );
};

/** Follows an open run; announces its end, unless somebody is looking at it. */
const Following = ({ run: { id } }: { run: BulkRun }) => {
  useFollowing(id);
  return null;
};

const useEnds = ({ runs, requests, shownId }: RunStripsProps): void => {
  useEffect(() => {
    for (const run of runs) {
      if (!isOver(run)) awaitedIds.add(run.id);
      else if (awaitedIds.delete(run.id) && run.id !== shownId) {
        const isDone = run.succeeded === run.total;
        notify({ kind: isDone ? 'done' : 'failed', text: words.ended(toTitle(run), toSentence(run)), about: run.id });
      }
    }
    // A request whose run had already ended when it was answered changes nothing else.
  }, [runs, requests, shownId]);
};

export interface RunStripsProps {
  runs: readonly BulkRun[];
  requests: readonly RunRequest[];
  shownId: string | undefined;
}

/** The state of the request: being sent, waiting, or failed. */
const State = ({ request: { retryAt, isLimited, error } }: { request: RunRequest }) => {
  if (error !== undefined) {
    const requestId = toRequestId(error);
    return (
      <span className="field-error" role="alert">
        {toErrorText(error)} {requestId === undefined ? null : <small>{texts.requestId(requestId)}</small>}
      </span>
    );
  }
  if (retryAt === undefined) return <span>{words.sending}</span>;
  return (
    <span>
      {isLimited ? texts.limited : words.unreached} <Countdown until={retryAt} />
    </span>
  );
};

const Buttons = ({ request: { error, send, cancel } }: { request: RunRequest }) => (
  <>
    <Button onClick={cancel}>{error === undefined ? texts.cancel : texts.dismiss}</Button>
    {error === undefined ? null : (
      <Button kind="primary" onClick={send}>
        {texts.tryAgain}
      </Button>
    )}
  </>
);

/** A run that the server has not accepted yet. It may be closed: the request continues. */
const RequestDialog = ({ request }: { request: RunRequest }) => (
  <Dialog title={request.title} isOpen onClose={() => show(undefined)} hasOwnActions>
    <p role="status">
      <State request={request} />
    </p>
    <div className="dialog-foot">
      <Buttons request={request} />
    </div>
  </Dialog>
);

const RequestStrip = ({ request }: { request: RunRequest }) => (
  <div className="run-strip" role="status">
    <p className="flex-1">
      <b>{request.title}</b> <State request={request} />
    </p>
    <Buttons request={request} />
  </div>
);

/** Runs in progress on many terminals, and their exceptions; and the dialog of the one being viewed. */
export const RunStrips = (props: RunStripsProps) => {
  const { runs, requests, shownId } = props;
  useEnds(props);
  const open = runs.filter((run) => !isOver(run));
  // What came of the run of a stop is said by its band.
  const stopRunId = useStop()?.run_id;
  const ended = runs.filter((run) => isOver(run) && isInTray(run) && run.id !== stopRunId).slice(0, MAX_ENDED);
  const asked = requests.find(({ id }) => id === shownId);
  const shown = useRun(runs, asked ? undefined : shownId);
  if (requests.length === 0 && open.length === 0 && ended.length === 0 && !shown) return null;
  return (
    <section aria-label={words.tray}>
      {open.map((run) => (
        <Following key={run.id} run={run} />
      ))}
      {requests.map((request) => (request === asked ? null : <RequestStrip key={request.id} request={request} />))}
      {[...open, ...ended].map((run) => (run === shown ? null : <Strip key={run.id} run={run} />))}
      {shown ? <RunDialog run={shown} /> : asked ? <RequestDialog request={asked} /> : null}
    </section>
  );
};
