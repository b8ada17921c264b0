import { toTaskStatusName } from '@berth/contract/values';
import type { Task, TaskMove, TaskStep } from '@berth/client';
import { Skeleton } from '../../../parts/skeleton.tsx';
import { Shape } from '../../../parts/status-mark.tsx';
import { Time } from '../../../parts/time.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { toFileAddress } from '../picture/picture-address.ts';

const words = pageTexts.terminalTasks;

/** Of a thousand log lines as many as one can look through here; the Logs tab has all. */
const MAX_LINES = 30;
const MAX_TEXT = 4_000;

const toJson = (value: unknown): string => {
  const text = JSON.stringify(
    value,
    (_key, part: unknown) =>
      Array.isArray(part) && part.length > MAX_LINES ? [...(part as unknown[]).slice(0, MAX_LINES), '…'] : part,
    2,
  );
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
};

const findFile = (data: object): string | undefined => {
  const { file } = data as { file?: { id?: unknown } };
  return typeof file?.id === 'string' ? file.id : undefined;
};

const StepLine = ({ step }: { step: TaskStep }) => {
  const file = findFile(step.data);
  const isPlain = Object.keys(step.data).length === 0;
  return (
    <li className="step">
      <Shape tone={step.ok ? 'good' : 'bad'} />
      <div className="min-w-0">
        <p className="flex flex-wrap gap-2">
          <b>{pageTexts.taskWords.step(step.step)}</b>
          {step.code === null ? null : <code className="figure text-bad">{step.code}</code>}
          <Time at={step.at} as="second" />
        </p>
        <p className="text-ink-2 break-words">
          <bdi>{step.message}</bdi>
        </p>
        {file === undefined ? null : (
          <img className="step-picture" src={toFileAddress(file)} alt={words.picture} loading="lazy" />
        )}
        {isPlain ? null : (
          <details>
            <summary>{words.answer}</summary>
            <pre className="json" dir="ltr">
              {toJson(step.data)}
            </pre>
          </details>
        )}
      </div>
    </li>
  );
};

/** What the host did, step by step. */
export const Steps = ({ task }: { task: Task }) => {
  const steps = task.result.runner_result as readonly TaskStep[];
  return (
    <section>
      <h2 className="mb-2">{words.steps}</h2>
      {steps.length === 0 ? (
        <p className="text-ink-3">{words.noSteps}</p>
      ) : (
        <ol className="task-steps">
          {steps.map((step, index) => (
            <StepLine key={index} step={step} />
          ))}
        </ol>
      )}
    </section>
  );
};

export const Payload = ({ payload }: { payload: object }) => (
  <section>
    <h2 className="mb-2">{words.payload}</h2>
    {Object.keys(payload).length === 0 ? (
      <p className="text-ink-3">{words.plain}</p>
    ) : (
      <pre className="json" dir="ltr">
        {toJson(payload)}
      </pre>
    )}
  </section>
);

/** Each move from status to status, with who made it. */
export const Moves = ({ moves }: { moves: readonly TaskMove[] | undefined }) => (
  <section>
    <h2 className="mb-2">{words.moves}</h2>
    {moves === undefined ? (
      <Skeleton className="h-16 w-full" />
    ) : (
      <ol className="moves">
        {moves.map(({ at, to, actor, attempt }, index) => (
          <li key={index}>
            <Time at={at} as="second" />
            <span>{pageTexts.taskWords.statuses[toTaskStatusName(to)]}</span>
            <small>
              {words.by(pageTexts.taskWords.actors[actor])}
              {attempt > 1 ? `, ${words.attempt(attempt)}` : ''}
            </small>
          </li>
        ))}
      </ol>
    )}
  </section>
);
