/** Path of a country's flag on this server. */
export const toFlagPath = (country: string): string => `/flags/${country}.svg`;
