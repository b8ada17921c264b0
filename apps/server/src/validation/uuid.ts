/** The one way in which the API writes UUIDs; also what PostgreSQL takes for one. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => UUID.test(text);

const NOTHING = '00000000-0000-0000-0000-000000000000';

/** The id that a list is narrowed to: what is no UUID matches nothing, and undefined everything. */
export const toFilterId = (id: string | undefined): string | undefined =>
  id === undefined || isUuid(id) ? id : NOTHING;
