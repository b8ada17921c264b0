import { TaskType, type Terminal } from '@berth/client';
import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';
import { berth } from '../../../data/berth.ts';
import { keys } from '../../../data/keys.ts';
import { Button } from '../../../parts/button.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { Field } from '../../../parts/field.tsx';
import { Card } from '../../../parts/surfaces.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { listEmpty, useCheckedForm } from '../../../data/checked-form.ts';
import { toFormError, useCreateTask, whyNotNow } from '../../../data/create-task.ts';

const words = pageTexts.terminalSettings;

/** The list as reported by the last task that changed it; undefined where none did. */
const useAllowed = (id: string): readonly string[] | undefined => {
  const query = { type: 'OPTIONS_WEB_REQUEST', status: 'COMPLETED', per_page: 1 } as const;
  const { data } = useQuery({
    queryKey: keys.tasks.listOfTerminal(id, query),
    queryFn: ({ signal }) => berth.tasks.page(id, query, { signal }),
  });
  const [task] = data?.data ?? [];
  return task?.type === TaskType.OPTIONS_WEB_REQUEST ? task.result.runner_result.at(-1)?.data.urls : undefined;
};

interface AllowedProps {
  urls: readonly string[] | undefined;
  whyNot: string | undefined;
  isBusy: boolean;
  onRemove: (url: string) => void;
}

const Allowed = ({ urls, whyNot, isBusy, onRemove }: AllowedProps) => {
  if (urls === undefined) return <p className="field-note">{words.notReported}</p>;
  if (urls.length === 0) return <p className="field-note">{words.none}</p>;
  return (
    <>
      <p className="field-note">{words.known}</p>
      <ul className="url-list">
        {urls.map((url) => (
          <li key={url}>
            <bdi className="figure clip">{url}</bdi>
            <Button
              kind="bare"
              icon={<X />}
              aria-label={`${words.remove}: ${url}`}
              title={words.remove}
              whyNot={whyNot}
              isBusy={isBusy}
              onClick={() => onRemove(url)}
            />
          </li>
        ))}
      </ul>
    </>
  );
};

/** URLs that experts may request. */
export const WebForm = ({ terminal }: { terminal: Terminal }) => {
  const [url, setUrl] = useState('');
  const urls = useAllowed(terminal.id);
  const create = useCreateTask(terminal.id, { isForm: true, onDone: () => setUrl('') });
  const whyNot = whyNotNow(terminal, 'OPTIONS_WEB_REQUEST');
  const send = (): void => {
    if (whyNot === undefined && !create.isRunning) {
      create.run({ type: 'OPTIONS_WEB_REQUEST', payload: { url: url.trim() } });
    }
  };
  const checked = { wrong: listEmpty({ url }), error: create.error, sentences: words.wrong, send };
  const { form, submit, toError } = useCheckedForm(checked);
  const failure = toFormError(create.error, ['url']);
  return (
    <Card title={words.webTitle}>
      <form className="form-card" onSubmit={submit} ref={form} noValidate>
        <p className="text-ink-2">{words.webText}</p>
        {failure === null ? null : <Failure error={failure} />}
        <Allowed
          urls={urls}
          whyNot={whyNot}
          isBusy={create.isRunning}
          onRemove={(gone) => create.run({ type: 'OPTIONS_WEB_REQUEST', payload: { url: gone, remove: 1 } })}
        />
        <Field
          label={words.url}
          note={words.urlNote}
          value={url}
          maxLength={255}
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          error={toError('url')}
          onChange={(event) => setUrl(event.target.value)}
        />
        <div>
          <Button type="submit" whyNot={whyNot} isBusy={create.isRunning}>
            {words.add}
          </Button>
        </div>
      </form>
    </Card>
  );
};
