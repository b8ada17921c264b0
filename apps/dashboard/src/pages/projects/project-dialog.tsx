import type { Project } from '@berth/client';
import { berth } from '../../data/berth.ts';
import { isBlank, useForm } from '../../data/form.ts';
import { keys } from '../../data/keys.ts';
import { Field, TextArea } from '../../parts/field.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { ItemDialog } from '../../parts/item-dialog.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';

const words = pageTexts.projects;

interface FormProps {
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

const ProjectForm = ({ project, onClose }: FormProps) => {
  const form = useForm({
    check: ({ name }) => ({ name: isBlank(name) ? words.enterName : undefined }),
    run: (values: Record<string, string>) => save(project, values),
    done: ({ name }: Project) => (project ? words.changed(name) : words.created(name)),
    touches: () => [keys.projects.all],
    onDone: onClose,
  });
  return (
    <DialogForm
      form={form}
      fields={['name', 'description']}
      verb={project ? texts.save : words.create}
      onClose={onClose}
    >
      <Field label={words.name} name="name" required autoFocus maxLength={255} defaultValue={project?.name} />
      <TextArea
        label={words.description}
        name="description"
        maxLength={1000}
        defaultValue={project?.description ?? ''}
        note={words.descriptionNote}
      />
    </DialogForm>
  );
};

interface DialogProps {
  /** Undefined: it is closed. */
  asked: Pick<FormProps, 'project'> | undefined;
  onClose: () => void;
}

/** Creates or edits a project. */
export const ProjectDialog = ({ asked, onClose }: DialogProps) => (
  <ItemDialog
    item={asked}
    title={({ project }) => (project ? words.editTitle : words.create)}
    lead={({ project }) => (project ? undefined : words.createLead)}
    onClose={onClose}
  >
    {({ project }) => <ProjectForm project={project} onClose={onClose} />}
  </ItemDialog>
);
