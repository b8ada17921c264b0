import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Project } from '@berth/client';
import { useAction } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.projects;
const PER_PAGE = 50;

/** One page of the list; the previous one stays visible until it is loaded. */
export const useProjects = ({ page, search }: { page: number; search: string }) => {
  const query = { page, per_page: PER_PAGE, ...(search === '' ? {} : { search }) };
  return useQuery({
    queryKey: keys.projects.list(query),
    queryFn: ({ signal }) => berth.projects.page(query, { signal }),
    placeholderData: keepPreviousData,
  });
};

export const useMakeDefault = () =>
  useAction({
    run: ({ id }: Project) => berth.account.updateProfile({ default_project_id: id }),
    done: (_nothing, { name }) => words.madeDefault(name),
    touches: () => [keys.account.profile],
  });

export const useDeleteProject = (onDone: () => void) =>
  useAction({
    run: ({ id }: Project) => berth.projects.delete(id),
    done: (_nothing, { name }) => words.deleted(name),
    touches: () => [keys.projects.all],
    onDone,
  });

/** Why a project cannot be deleted now; undefined where it can. */
export const toWhyNotDelete = (project: Project, defaultId: string | undefined): string | undefined => {
  if (project.resources_count > 0) return words.whyNotUsed(project.resources_count);
  return project.id === defaultId ? words.whyNotDefault : undefined;
};
