import { TerminalStatus, type Static, type terminalRoutes } from '@berth/contract';
import type { TerminalFilter } from './queries.ts';
import { parseNumbers } from '../validation/table-numbers.ts';
import { toFilterId } from '../validation/uuid.ts';

type AskedFilter = Pick<
  Static<(typeof terminalRoutes)['listTerminals']['query']>,
  'date_from' | 'date_to' | 'search' | 'status' | 'project_id' | 'region' | 'tag' | 'external_id'
>;

const NO_REGION = -1;
const MAX_REGION = 2_147_483_647;

/** An unknown region or project in a filter matches nothing; it is not an error. */
export const toTerminalFilter = (asked: AskedFilter): TerminalFilter => ({
  dateFrom: asked.date_from,
  dateTo: asked.date_to,
  search: asked.search,
  statuses: asked.status === undefined ? undefined : parseNumbers(TerminalStatus, asked.status),
  projectId: toFilterId(asked.project_id),
  region: asked.region === undefined || Math.abs(asked.region) <= MAX_REGION ? asked.region : NO_REGION,
  tag: asked.tag,
  externalId: asked.external_id,
});
