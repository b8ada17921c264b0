/**
 * Filters of lists, and of what is done on many terminals. A value that is empty by mistake would let everything through: it
 * is refused before anything is sent, and so is a name that the API does not know.
 */
import { FilterError } from '../errors.ts';
import { TaskStatus, TaskType, TerminalStatus } from '../types.ts';
import { toNumbers, type NamesOrNumbers } from './names.ts';

const terminalFields = ['date_from', 'date_to', 'search', 'status', 'project_id', 'region', 'tag', 'external_id'];
const taskFields = ['status', 'type', 'terminal_id', 'project_id', 'one_per_run'];
/** How a list is shown, not what it is of. */
const listFields = ['page', 'per_page', 'after', 'include', 'sort_by', 'sort_direction'];

const isEmpty = (value: unknown): boolean =>
  value === null || (typeof value === 'string' && value.trim() === '') || (Array.isArray(value) && value.length === 0);

const assertFields = (filter: unknown, known: readonly string[]): void => {
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) {
    throw new FilterError('A filter is an object; {} lets everything through.');
  }
  for (const [name, value] of Object.entries(filter)) {
    if (!known.includes(name)) throw new FilterError(`A filter has no field "${name}", but ${known.join(', ')}.`);
    if (isEmpty(value)) {
      throw new FilterError(`The field "${name}" of the filter is empty. Leave it out if everything is meant.`);
    }
  }
};

type Names = NamesOrNumbers<string> | undefined;
type Filter = { status?: Names; type?: Names };

/** Names of statuses and types as the API wants them; fields that are undefined are left out. */
const withNumbers = (filter: Filter, statuses: Readonly<Record<string, number>>): object => {
  const toList = (table: Readonly<Record<string, number>>, names: Names): string | undefined =>
    names === undefined ? undefined : toNumbers(table, names).join();
  const numbers = { status: toList(statuses, filter.status), type: toList(TaskType, filter.type) };
  return Object.fromEntries(Object.entries({ ...filter, ...numbers }).filter(([, value]) => value !== undefined));
};

/** The query of a list of terminals. @throws FilterError */
export const toTerminalQuery = (query: Filter): object => {
  assertFields(query, [...terminalFields, ...listFields]);
  return withNumbers(query, TerminalStatus);
};

/** The same for the terminals of all users. @throws FilterError */
export const toAllTerminalsQuery = (query: Filter): object => {
  assertFields(query, ['search', 'user_id', 'host_id', 'status', ...listFields]);
  return withNumbers(query, TerminalStatus);
};

/** The same for a list of tasks. @throws FilterError */
export const toTaskQuery = (query: Filter): object => {
  assertFields(query, [...taskFields, ...listFields]);
  return withNumbers(query, TaskStatus);
};

/** The filter of what is done on many terminals: a field that is undefined was meant to be something. @throws FilterError */
export const toBulkFilter = (filter: Filter): object => {
  assertFields(filter, terminalFields);
  const missing = Object.entries(filter).find(([, value]) => value === undefined);
  if (missing)
    throw new FilterError(`The field "${missing[0]}" of the filter is undefined. Leave it out if everything is meant.`);
  return withNumbers(filter, TerminalStatus);
};
