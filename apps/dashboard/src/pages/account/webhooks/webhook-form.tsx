import { ValidationError, type CreatedWebhook, type Webhook } from '@berth/client';
import { Link } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { useAction } from '../../../data/action.ts';
import { berth } from '../../../data/berth.ts';
import { readForm, toFieldError } from '../../../data/form.ts';
import { keys } from '../../../data/keys.ts';
import { useAllProjects } from '../../../data/projects.ts';
import { Check } from '../../../parts/check.tsx';
import { Dialog, FormFoot } from '../../../parts/dialog.tsx';
import { Field, Select } from '../../../parts/field.tsx';
import { FormFailure } from '../../../parts/form-failure.tsx';
import { SecretDialog } from '../../../parts/secret-dialog.tsx';
import { isolate } from '../../../texts/isolate.ts';
import { pageTexts } from '../../../texts/page-texts.ts';
import { texts } from '../../../texts/texts.ts';
import { EventChoice } from './event-choice.tsx';

const words = pageTexts.webhooks;

/** The order of the names does not matter: each is a choice of its own. */
const toEventsError = (error: Error | null): string | undefined =>
  error instanceof ValidationError
    ? Object.entries(error.errors).find(([field]) => field === 'events' || field.startsWith('events.'))?.[1][0]
    : undefined;

interface Settings {
  url: string;
  events: string[];
  project_id: string | null;
  description: string | null;
  is_ordered: boolean;
}

const create = ({ project_id, description, ...settings }: Settings): Promise<CreatedWebhook> =>
  berth.webhooks.create({
    ...settings,
    ...(project_id === null ? {} : { project_id }),
    ...(description === null ? {} : { description }),
  });

const ProjectChoice = ({ chosen, error }: { chosen: string | null; error: string | undefined }) => {
  const { data: projects = [] } = useAllProjects();
  // Its options come later than the form: the select is made anew with them, so that the chosen one is among them.
  return (
    <Select key={projects.length} label={words.project} name="project" defaultValue={chosen ?? ''} error={error}>
      <option value="">{words.allProjects}</option>
      {projects.map(({ id, name }) => (
        <option key={id} value={id}>
          {words.ofProject(name)}
        </option>
      ))}
    </Select>
  );
};

interface FormProps<Made> {
  /** Undefined: a new one. */
  webhook?: Webhook;
  verb: string;
  save: (settings: Settings) => Promise<Made>;
  onSaved: (made: Made) => void;
  onClose: () => void;
}

const Form = <Made,>({ webhook, verb, save, onSaved, onClose }: FormProps<Made>) => {
  const [events, setEvents] = useState<ReadonlySet<string>>(new Set(webhook?.events));
  const [isOrdered, setOrdered] = useState(webhook?.is_ordered ?? false);
  const { run, isRunning, error } = useAction({
    run: save,
    touches: () => [keys.webhooks.all],
    onDone: onSaved,
    isSilentOnError: true,
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    const { url = '', project = '', description = '' } = readForm(event);
    const text = description.trim();
    run({
      url: url.trim(),
      events: [...events],
      project_id: project === '' ? null : project,
      description: text === '' ? null : text,
      is_ordered: isOrdered,
    });
  };
  const eventsError = toEventsError(error);
  return (
    <form className="grid gap-4" onSubmit={submit}>
      <FormFailure error={eventsError === undefined ? error : null} fields={['url', 'description', 'project_id']} />
      <Field
        label={words.url}
        name="url"
        type="url"
        required
        autoFocus
        maxLength={2048}
        autoComplete="off"
        placeholder={words.urlHint}
        defaultValue={webhook?.url}
        note={words.urlNote}
        error={toFieldError(error, 'url')}
      />
      <EventChoice chosen={events} onChange={setEvents} error={eventsError} />
      <ProjectChoice chosen={webhook?.project_id ?? null} error={toFieldError(error, 'project_id')} />
      <Field
        label={words.description}
        name="description"
        maxLength={255}
        autoComplete="off"
        defaultValue={webhook?.description ?? ''}
        error={toFieldError(error, 'description')}
      />
      <Check label={words.ordered} note={words.orderedNote} isOn={isOrdered} onChange={setOrdered} />
      <FormFoot onClose={onClose} isBusy={isRunning} whyNot={events.size === 0 ? words.noEvents : undefined}>
        {verb}
      </FormFoot>
    </form>
  );
};

/** Creates a webhook, and shows its secret once. */
export const CreateWebhook = (props: { isOpen: boolean; onClose: () => void }) => (
  <SecretDialog
    {...props}
    before={{ title: words.create, lead: words.createLead }}
    after={{ title: words.created, lead: words.createdLead, label: words.secret, done: words.done }}
    toSecret={({ secret }: CreatedWebhook) => secret}
    note={({ id }) => (
      <Link to="/account/webhooks/$id" params={{ id }} search={{ tab: 'signature' }} className="link">
        {words.toSignature}
      </Link>
    )}
  >
    {(onCreated, onClose) => <Form verb={words.create} save={create} onSaved={onCreated} onClose={onClose} />}
  </SecretDialog>
);

/** Changes its settings; undefined: no dialog. */
export const EditWebhook = ({ webhook, onClose }: { webhook: Webhook | undefined; onClose: () => void }) => (
  <Dialog
    title={words.editTitle}
    description={webhook && isolate(webhook.url)}
    isOpen={webhook !== undefined}
    onClose={onClose}
    hasOwnActions
  >
    {webhook === undefined ? null : (
      <Form
        webhook={webhook}
        verb={texts.save}
        save={(settings) => berth.webhooks.update(webhook.id, settings)}
        onSaved={onClose}
        onClose={onClose}
      />
    )}
  </Dialog>
);
