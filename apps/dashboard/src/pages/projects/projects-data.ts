import type { Project } from '@berth/client';
import { useAction } from '../../data/action.ts';
import { useAsked } from '../../data/asked.ts';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { useReading } from '../../data/reading.ts';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.projects;
const PER_PAGE = 50;

/** One page of the list; the previous one stays visible until it is loaded. */
export const useProjects = ({ page, search }: { page: number; search: string }) => {
  const query = { page, per_page: PER_PAGE, ...(search === '' ? {} : { search }) };
  return useReading(keys.projects.list(query), (request) => berth.projects.page(query, request));
};

export const useMakeDefault = () =>
  useAction({
    run: ({ id }: Project) => berth.account.updateProfile({ default_project_id: id }),
    done: (_nothing, { name }) => words.madeDefault(name),
    touches: () => [keys.account.profile],
  });

export const useDeleteProject = () =>
  useAsked({
    run: ({ id }: Project) => berth.projects.delete(id),
    done: (_nothing, { name }) => words.deleted(name),
    touches: () => [keys.projects.all],
  });

/** Why a project cannot be deleted now; undefined where it can. */
export const toWhyNotDelete = (project: Project, defaultId: string | undefined): string | undefined => {
  if (project.resources_count > 0) return words.whyNotUsed(project.resources_count);
  return project.id === defaultId ? words.whyNotDefault : undefined;
};
