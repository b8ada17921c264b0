/** The query parameters of the list of projects. */
import { toPage, toText } from '../../data/search-values.ts';

export interface ProjectsSearch {
  page?: number;
  search?: string;
}

export const toProjectsSearch = ({ page, search }: Record<string, unknown>): ProjectsSearch => ({
  ...toPage(page),
  ...toText('search', search),
});
