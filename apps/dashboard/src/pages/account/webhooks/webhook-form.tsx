import type { CreatedWebhook, Webhook } from '@berth/client';
import { Link } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { berth } from '../../../data/berth.ts';
import { readForm, useForm } from '../../../data/form.ts';
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

const WebhookForm = <Made,>({ webhook, verb, save, onSaved, onClose }: FormProps<Made>) => {
  const [events, setEvents] = useState<ReadonlySet<string>>(new Set(webhook?.events));
  const [isOrdered, setOrdered] = useState(webhook?.is_ordered ?? false);
  const form = useForm({
    check: ({ url, events: chosen }: Settings) => ({
      url: /^https?:\/\/[^\s/]/i.test(url) ? undefined : words.enterUrl,
      events: chosen.length === 0 ? words.noEvents : undefined,
    }),
    run: save,
    touches: () => [keys.webhooks.all],
    onDone: onSaved,
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    const { url = '', project = '', description = '' } = readForm(event);
    const text = description.trim();
    form.submit({
      url: url.trim(),
      events: [...events],
      project_id: project === '' ? null : project,
      description: text === '' ? null : text,
      is_ordered: isOrdered,
    });
  };
  return (
    <form {...form.props} className="grid gap-4" onSubmit={submit}>
      <FormFailure error={form.error} fields={['url', 'events', 'description', 'project_id']} />
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
        error={form.toError('url')}
      />
      <EventChoice chosen={events} onChange={setEvents} error={form.toError('events')} />
      <ProjectChoice chosen={webhook?.project_id ?? null} error={form.toError('project_id')} />
      <Field
        label={words.description}
        name="description"
        maxLength={255}
        autoComplete="off"
        defaultValue={webhook?.description ?? ''}
        error={form.toError('description')}
      />
      <Check label={words.ordered} note={words.orderedNote} isOn={isOrdered} onChange={setOrdered} />
      <FormFoot onClose={onClose} isBusy={form.isRunning}>
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
    {(onCreated, onClose) => <WebhookForm verb={words.create} save={create} onSaved={onCreated} onClose={onClose} />}
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
      <WebhookForm
        webhook={webhook}
        verb={texts.save}
        save={(settings) => berth.webhooks.update(webhook.id, settings)}
        onSaved={onClose}
        onClose={onClose}
      />
    )}
  </Dialog>
);
