import { toErrorText, toRequestId } from '../data/action.ts';
import { texts } from '../texts/texts.ts';
import { Banner } from './banner.tsx';
import { Button } from './button.tsx';

export interface FailureProps {
  error: unknown;
  /** Tries again. */
  onRetry?: () => void;
}

/** Shown where something could not be loaded. */
export const Failure = ({ error, onRetry }: FailureProps) => {
  const requestId = toRequestId(error);
  const action = onRetry ? <Button onClick={onRetry}>{texts.tryAgain}</Button> : undefined;
  return (
    <Banner kind="failure" action={action}>
      {toErrorText(error)} {requestId === undefined ? null : <small>{texts.requestId(requestId)}</small>}
    </Banner>
  );
};
