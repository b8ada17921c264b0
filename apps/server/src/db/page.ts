/** Which rows of a list are asked for. */
export interface PageInput {
  page: number;
  per_page: number;
}

/** How many rows a page skips. */
export const toOffset = ({ page, per_page }: PageInput): number => (page - 1) * per_page;
