import type { Project } from '@berth/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Plus, SearchX } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { useProfile } from '../../data/profile.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/item-dialog.tsx';
import { PagedListing, Total } from '../../parts/listing.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { useCommands } from '../../data/commands.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { ProjectDialog } from './project-dialog.tsx';
import { ProjectTable } from './project-table.tsx';
import { useDeleteProject, useProjects } from './projects-data.ts';

const words = pageTexts.projects;

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
  const projects = useProjects({ page, search });
  const { data: profile } = useProfile();
  const [edited, setEdited] = useState<{ project: Project | undefined }>();
  const remove = useDeleteProject();
  const create = useCallback(() => setEdited({ project: undefined }), []);
  useCommands(useMemo(() => [{ id: 'projects.create', name: words.create, run: create }], [create]));
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
        <Total of={projects.data} words={words.total} />
      </PageHead>
      <PagedListing
        reading={projects}
        empty={{
          icon: <SearchX aria-hidden="true" />,
          title: words.noMatch,
          children: words.noMatchText(search),
          action: <Button onClick={() => onSearch('')}>{words.clear}</Button>,
        }}
        page={page}
        onPage={onPage}
      >
        <ProjectTable
          projects={projects.data?.data}
          defaultId={profile?.default_project_id}
          onEdit={(project) => setEdited({ project })}
          onDelete={remove.ask}
        />
      </PagedListing>
      <ProjectDialog asked={edited} onClose={() => setEdited(undefined)} />
      <Confirm
        {...remove.dialog}
        title={({ name }) => words.deleteTitle(name)}
        lead={words.deleteLead}
        typed={({ name }) => name}
        verb={words.delete}
      />
    </>
  );
};
