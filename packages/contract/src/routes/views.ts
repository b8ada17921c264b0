import type { Ability } from '../abilities.ts';
import { Envelope, EnvelopeOrRefusal, Null, OneOf, Timestamp, Type, type Static } from '../schema.ts';
import {
  MAX_VIEW_COLUMN_CHARACTERS,
  MAX_VIEW_COLUMNS,
  MAX_VIEW_NAME_CHARACTERS,
  MAX_VIEW_QUERY_CHARACTERS,
  viewPages,
} from '../views.ts';
import { defineRoute } from './route.ts';

const user = <const Needed extends Ability>(ability: Needed) => ({ tag: 'Account', auth: 'user', ability }) as const;

const VIEWS = '/v1/my/views';
const columns = { maxItems: MAX_VIEW_COLUMNS, description: 'The columns, in order; null: the usual ones' };

/** Filters and columns of a list of the dashboard, kept under a name. */
export const SavedView = Type.Object({
  page: OneOf(viewPages, { description: 'The list' }),
  name: Type.String({ description: `Unique among your views, up to ${MAX_VIEW_NAME_CHARACTERS} characters` }),
  query: Type.String({ description: 'The filters, as the address of the page has them after its `?`' }),
  /** The columns, in order; null: the usual ones. */
  columns: Type.Unsafe<string[] | null>({ ...columns, type: ['array', 'null'], items: { type: 'string' } }),
  updated_at: Timestamp(),
});
/** Filters and columns of a list of the dashboard, kept under a name. */
export type SavedView = Static<typeof SavedView>;

export const viewRoutes = {
  listViews: defineRoute({
    ...user('read'),
    method: 'GET',
    url: VIEWS,
    summary: 'List your saved views, by name',
    response: Envelope(Type.Array(SavedView)),
  }),
  saveView: defineRoute({
    ...user('write'),
    method: 'PUT',
    url: `${VIEWS}/:view_name`,
    summary: 'Save a view under this name; one that has it is replaced',
    // It changes nothing but what its user is shown.
    audit: null,
    body: Type.Object({
      page: OneOf(viewPages, { description: 'The list' }),
      query: Type.Optional(
        Type.String({
          maxLength: MAX_VIEW_QUERY_CHARACTERS,
          pattern: '^[!-~]*$',
          description: 'The filters, as the address of the page has them after its `?`; without: no filters',
        }),
      ),
      columns: Type.Optional(
        Type.Array(Type.String({ maxLength: MAX_VIEW_COLUMN_CHARACTERS, pattern: '^[a-z][a-z_]*$' }), {
          ...columns,
          description: 'The columns, in order; without: the usual ones',
        }),
      ),
    }),
    response: EnvelopeOrRefusal(SavedView),
  }),
  deleteView: defineRoute({
    ...user('delete'),
    method: 'DELETE',
    url: `${VIEWS}/:view_name`,
    summary: 'Delete a saved view',
    audit: null,
    response: Envelope(Null),
  }),
};
