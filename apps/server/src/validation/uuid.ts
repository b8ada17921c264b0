import { LOWEST_ID } from '../db/ids.ts';

/** The API's only format of UUIDs; PostgreSQL accepts all of these. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => UUID.test(text);

/** The id that a list is filtered by: anything but a UUID matches nothing, undefined everything. */
export const toFilterId = (id: string | undefined): string | undefined =>
  id === undefined || isUuid(id) ? id : LOWEST_ID;
