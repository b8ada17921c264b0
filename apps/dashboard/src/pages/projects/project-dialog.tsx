import type { Project } from '@berth/client';
import { berth } from '../../data/berth.ts';
import { isBlank, readForm, useForm } from '../../data/form.ts';
import { keys } from '../../data/keys.ts';
import { FormFailure } from '../../parts/form-failure.tsx';
import { Dialog, FormFoot } from '../../parts/dialog.tsx';
import { Field, TextArea } from '../../parts/field.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';

const words = pageTexts.projects;

export interface ProjectDialogProps {
  /** Undefined: a new one. */
  project: Project | undefined;
  onClose: () => void;
}

const save = (
  project: Project | undefined,
  { name = '', description = '' }: Record<string, string>,
): Promise<Project> => {
  const text = description.trim();
  if (project) return berth.projects.update(project.id, { name, description: text === '' ? null : text });
  return berth.projects.create({ name, ...(text === '' ? {} : { description: text }) });
};

const ProjectForm = ({ project, onClose }: ProjectDialogProps) => {
  const form = useForm({
    check: ({ name }) => ({ name: isBlank(name) ? words.enterName : undefined }),
    run: (values: Record<string, string>) => save(project, values),
    done: ({ name }: Project) => (project ? words.changed(name) : words.created(name)),
    touches: () => [keys.projects.all],
    onDone: onClose,
  });
  return (
    <form {...form.props} className="grid gap-4" onSubmit={(event) => form.submit(readForm(event))}>
      <FormFailure error={form.error} fields={['name', 'description']} />
      <Field
        label={words.name}
        name="name"
        required
        autoFocus
        maxLength={255}
        autoComplete="off"
        defaultValue={project?.name}
        error={form.toError('name')}
      />
      <TextArea
        label={words.description}
        name="description"
        maxLength={1000}
        defaultValue={project?.description ?? ''}
        note={words.descriptionNote}
        error={form.toError('description')}
      />
      <FormFoot onClose={onClose} isBusy={form.isRunning}>
        {project ? texts.save : words.create}
      </FormFoot>
    </form>
  );
};

/** Creates or edits a project. */
export const ProjectDialog = ({ isOpen, ...props }: ProjectDialogProps & { isOpen: boolean }) => (
  <Dialog
    title={props.project ? words.editTitle : words.create}
    description={props.project ? undefined : words.createLead}
    isOpen={isOpen}
    onClose={props.onClose}
    hasOwnActions
  >
    <ProjectForm {...props} />
  </Dialog>
);
