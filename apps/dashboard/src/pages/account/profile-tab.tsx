import type { Profile, Project } from '@berth/client';
import { useState } from 'react';
import { berth } from '../../data/berth.ts';
import { useForm } from '../../data/form.ts';
import { keys } from '../../data/keys.ts';
import { useProfile } from '../../data/profile.ts';
import { useAllProjects } from '../../data/projects.ts';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Card } from '../../parts/surfaces.tsx';
import { Time } from '../../parts/time.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';

const words = pageTexts.account.profile;

interface FormProps {
  profile: Profile;
  projects: readonly Project[];
}

const ProfileForm = ({ profile, projects }: FormProps) => {
  const [name, setName] = useState(profile.name);
  const [projectId, setProjectId] = useState(profile.default_project_id);
  const form = useForm({
    check: () => ({ name: name.trim().length < 3 ? words.enterName : undefined }),
    run: () => berth.account.updateProfile({ name, default_project_id: projectId }),
    done: () => words.saved,
    touches: () => [keys.account.profile, keys.session],
  });
  const isSame = name === profile.name && projectId === profile.default_project_id;
  const isListed = projects.some(({ id }) => id === profile.default_project_id);
  return (
    <Form form={form} fields={['name', 'default_project_id']} toValues={() => undefined}>
      <Field
        label={words.name}
        name="name"
        value={name}
        required
        maxLength={255}
        autoComplete="name"
        note={words.nameNote}
        onChange={(event) => setName(event.target.value)}
      />
      <Select
        label={words.project}
        name="default_project_id"
        value={projectId}
        note={words.projectNote}
        onChange={(event) => setProjectId(event.target.value)}
      >
        {isListed ? null : <option value={profile.default_project_id}>…</option>}
        {projects.map(({ id, name: projectName }) => (
          <option key={id} value={id}>
            {projectName}
          </option>
        ))}
      </Select>
      <div>
        <Button type="submit" kind="primary" isBusy={form.isRunning} whyNot={isSame ? words.unchanged : undefined}>
          {texts.save}
        </Button>
      </div>
    </Form>
  );
};

const Facts = ({ profile }: { profile: Profile }) => {
  return (
    <>
      <dl className="facts">
        <dt>{words.email}</dt>
        <dd>{profile.email}</dd>
        <dt>{words.plan}</dt>
        <dd>
          {words.planText(profile.plan)}
          {profile.plan_expires_at === null ? null : (
            <>
              {' '}
              {words.planUntil} <Time at={profile.plan_expires_at} as="exact" />
            </>
          )}
        </dd>
        <dt>{words.since}</dt>
        <dd>
          <Time at={profile.created_at} as="day" />
        </dd>
      </dl>
    </>
  );
};

export const ProfileTab = () => {
  const profile = useProfile();
  const projects = useAllProjects();
  const error = profile.error ?? projects.error;
  if (error !== null && (profile.data === undefined || projects.data === undefined)) {
    return <Failure error={error} onRetry={() => [void profile.refetch(), void projects.refetch()]} />;
  }
  return (
    <div className="grid gap-4 desk:grid-cols-2">
      <Card>
        {profile.data === undefined || projects.data === undefined ? (
          <Skeleton className="h-56 w-full" />
        ) : (
          <ProfileForm key={profile.data.id} profile={profile.data} projects={projects.data} />
        )}
      </Card>
      <Card>
        {profile.data === undefined ? <Skeleton className="h-32 w-full" /> : <Facts profile={profile.data} />}
      </Card>
    </div>
  );
};
