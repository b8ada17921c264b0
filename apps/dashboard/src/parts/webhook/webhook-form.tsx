import type { CreatedWebhook, Webhook } from '@berth/client';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { berth } from '../../data/berth.ts';
import { useForm } from '../../data/form.ts';
import { keys } from '../../data/keys.ts';
import { useAllProjects } from '../../data/projects.ts';
import { Check } from '../check.tsx';
import { Field, Select } from '../field.tsx';
import { DialogForm } from '../dialog-form.tsx';
import { ItemDialog } from '../item-dialog.tsx';
import { SecretDialog } from '../secret-dialog.tsx';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';
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

const ProjectChoice = ({ chosen }: { chosen: string | null }) => {
  const { data: projects = [] } = useAllProjects();
  // Its options come later than the form: the select is made anew with them, so that the chosen one is among them.
  return (
    <Select key={projects.length} label={words.project} name="project_id" defaultValue={chosen ?? ''}>
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
  const toValues = ({ url = '', project_id = '', description = '' }: Record<string, string>): Settings => ({
    url: url.trim(),
    events: [...events],
    project_id: project_id || null,
    description: description.trim() || null,
    is_ordered: isOrdered,
  });
  return (
    <DialogForm
      form={form}
      fields={['url', 'events', 'description', 'project_id']}
      toValues={toValues}
      verb={verb}
      onClose={onClose}
    >
      <Field
        label={words.url}
        name="url"
        type="url"
        required
        autoFocus
        maxLength={2048}
        placeholder={words.urlHint}
        defaultValue={webhook?.url}
        note={words.urlNote}
      />
      <EventChoice chosen={events} onChange={setEvents} />
      <ProjectChoice chosen={webhook?.project_id ?? null} />
      <Field label={words.description} name="description" maxLength={255} defaultValue={webhook?.description ?? ''} />
      <Check label={words.ordered} note={words.orderedNote} isOn={isOrdered} onChange={setOrdered} />
    </DialogForm>
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
  <ItemDialog item={webhook} title={words.editTitle} lead={({ url }) => isolate(url)} onClose={onClose}>
    {(edited) => (
      <WebhookForm
        webhook={edited}
        verb={texts.save}
        save={(settings) => berth.webhooks.update(edited.id, settings)}
        onSaved={onClose}
        onClose={onClose}
      />
    )}
  </ItemDialog>
);
