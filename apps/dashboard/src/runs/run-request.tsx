import { toErrorText, toRequestId } from '../data/action.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Countdown } from '../parts/limited-banner.tsx';
import { pageTexts } from '../texts/page-texts.ts';
import { texts } from '../texts/texts.ts';
import { show, type RunRequest } from './requests.ts';

const words = pageTexts.runs;

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
export const RequestDialog = ({ request }: { request: RunRequest }) => (
  <Dialog title={request.title} isOpen onClose={() => show(undefined)} hasOwnActions>
    <p role="status">
      <State request={request} />
    </p>
    <div className="dialog-foot">
      <Buttons request={request} />
    </div>
  </Dialog>
);

export const RequestStrip = ({ request }: { request: RunRequest }) => (
  <div className="run-strip" role="status">
    <p className="flex-1">
      <b>{request.title}</b> <State request={request} />
    </p>
    <Buttons request={request} />
  </div>
);
