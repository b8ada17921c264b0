/** An address without what all of them begin with. */
export const toShortUrl = (url: string): string => url.replace(/^https?:\/\//, '').replace(/\/$/, '');
