import { toErrorText, toRequestId } from '../data/action.ts';
import { texts } from '../texts/texts.ts';
import { Banner } from './banner.tsx';
import { Button } from './button.tsx';

export interface FailureProps {
  error: unknown;
  /** Reads it again. */
  onRetry?: () => void;
}

/** What is said where something could not be read. */
export const Failure = ({ error, onRetry }: FailureProps) => {
  const requestId = toRequestId(error);
  const action = onRetry ? <Button onClick={onRetry}>{texts.tryAgain}</Button> : undefined;
  return (
    <Banner kind="failure" action={action}>
      {toErrorText(error)} {requestId === undefined ? null : <small>{texts.requestId(requestId)}</small>}
    </Banner>
  );
};
