import type { Terminal } from '@berth/client';
import { useState } from 'react';
import { useAction } from '../../../data/action.ts';
import { berth } from '../../../data/berth.ts';
import { keys } from '../../../data/keys.ts';
import { useAllProjects } from '../../../data/projects.ts';
import { Button } from '../../../parts/button.tsx';
import { Field, Select } from '../../../parts/field.tsx';
import { Card } from '../../../parts/surfaces.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { texts } from '../../../texts/texts.ts';
import { listEmpty, useCheckedForm } from '../../../data/checked-form.ts';

const words = pageTexts.terminalSettings;

/** The terminal's name and project. Unchanged fields follow the server. */
export const NameForm = ({ terminal }: { terminal: Terminal }) => {
  const { data: projects } = useAllProjects();
  const [typed, setTyped] = useState<{ name?: string; project?: string }>({});
  const name = typed.name ?? terminal.name;
  const project = typed.project ?? terminal.project_id;
  const save = useAction({
    run: (changes: { name?: string; project_id?: string }) => berth.terminals.update(terminal.id, changes),
    done: () => words.saved,
    touches: () => [keys.terminals.one(terminal.id), keys.terminals.lists, keys.projects.all],
    onDone: () => setTyped({}),
  });
  const changes = {
    ...(name.trim() === terminal.name ? {} : { name: name.trim() }),
    ...(project === terminal.project_id ? {} : { project_id: project }),
  };
  const isSame = Object.keys(changes).length === 0;
  const whyNot = isSame ? words.nothing : undefined;
  const send = (): void => {
    if (whyNot === undefined && !save.isRunning) save.run(changes);
  };
  const checked = { wrong: listEmpty({ name }), error: save.error, sentences: words.wrong, send };
  const { form, submit, toError } = useCheckedForm(checked);
  return (
    <Card title={words.ownTitle}>
      <form className="form-card" onSubmit={submit} ref={form} noValidate>
        <Field
          label={words.name}
          value={name}
          maxLength={255}
          dir="auto"
          error={toError('name')}
          onChange={(event) => setTyped({ ...typed, name: event.target.value })}
        />
        <Select
          label={words.project}
          value={project}
          error={toError('project_id')}
          onChange={(event) => setTyped({ ...typed, project: event.target.value })}
        >
          {projects?.map(({ id, name: title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </Select>
        <div>
          <Button type="submit" whyNot={whyNot} isBusy={save.isRunning}>
            {texts.save}
          </Button>
        </div>
      </form>
    </Card>
  );
};
