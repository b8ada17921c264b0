import type { Project } from '@berth/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Plus, SearchX } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { useProfile } from '../../data/profile.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmByName } from '../../parts/confirm-by-name.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Failure } from '../../parts/failure.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Pager } from '../../parts/pager.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Sheet } from '../../parts/surfaces.tsx';
import { useCommands } from '../../shell/commands.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { ProjectDialog } from './project-dialog.tsx';
import { ProjectTable } from './project-table.tsx';
import { useDeleteProject, useProjects } from './projects-data.ts';

const words = pageTexts.projects;

type Open = { kind: 'create' } | { kind: 'edit' | 'delete'; project: Project } | undefined;

const Dialogs = ({ open, onClose }: { open: Open; onClose: () => void }) => {
  const remove = useDeleteProject(onClose);
  const project = open === undefined || open.kind === 'create' ? undefined : open.project;
  return (
    <>
      <ProjectDialog
        isOpen={open?.kind === 'create' || open?.kind === 'edit'}
        project={open?.kind === 'edit' ? project : undefined}
        onClose={onClose}
      />
      <ConfirmByName
        title={words.deleteTitle(project?.name ?? '')}
        name={project?.name ?? ''}
        verb={words.delete}
        isOpen={open?.kind === 'delete'}
        isBusy={remove.isRunning}
        onClose={onClose}
        onConfirm={() => (project ? remove.run(project) : undefined)}
      >
        {words.deleteLead}
      </ConfirmByName>
    </>
  );
};

const useProjectsAddress = () => {
  const { page = 1, search = '' } = useSearch({ from: '/in/projects' });
  const navigate = useNavigate({ from: '/projects' });
  const onSearch = useCallback(
    (text: string) => void navigate({ search: text === '' ? {} : { search: text }, replace: true }),
    [navigate],
  );
  const onPage = (next: number) => void navigate({ search: (old) => ({ ...old, page: next }) });
  return { page, search, onSearch, onPage };
};

export const ProjectsPage = () => {
  const { page, search, onSearch, onPage } = useProjectsAddress();
  const { data, error, refetch } = useProjects({ page, search });
  const { data: profile } = useProfile();
  const [open, setOpen] = useState<Open>();
  const create = useCallback(() => setOpen({ kind: 'create' }), []);
  useCommands(useMemo(() => [{ id: 'projects.create', name: words.create, run: create }], [create]));
  const isEmpty = data?.data.length === 0;
  return (
    <>
      <PageHead
        title={words.title}
        tools={
          <>
            <SearchField label={words.search} value={search} onSearch={onSearch} />
            <Button kind="primary" icon={<Plus />} onClick={create}>
              {words.create}
            </Button>
          </>
        }
      >
        {data === undefined ? null : <span className="figure text-ink-3">{words.total(data.pagination.total)}</span>}
      </PageHead>
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      {isEmpty ? (
        <Sheet>
          <EmptyState
            icon={<SearchX aria-hidden="true" />}
            title={words.noMatch}
            action={<Button onClick={() => onSearch('')}>{words.clear}</Button>}
          >
            {words.noMatchText(search)}
          </EmptyState>
        </Sheet>
      ) : null}
      {isEmpty || (error !== null && data === undefined) ? null : (
        <Sheet>
          <ProjectTable
            projects={data?.data}
            defaultId={profile?.default_project_id}
            onEdit={(project) => setOpen({ kind: 'edit', project })}
            onDelete={(project) => setOpen({ kind: 'delete', project })}
          />
        </Sheet>
      )}
      <Pager page={page} lastPage={data?.pagination.last_page ?? 1} onPage={onPage} />
      <Dialogs open={open} onClose={() => setOpen(undefined)} />
    </>
  );
};
