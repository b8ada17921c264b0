/**
 * The path under which the dashboard is served: '' at the root of a host, '/desk' behind a proxy that serves it there.
 * It is derived from the URL of this script (`…/assets/<name>.js`), so nothing has to be written into the page.
 */
const script = import.meta.url;

export const basePath = new URL(import.meta.env.DEV ? '/' : '..', script).pathname.replace(/\/$/, '');

/** The URL of something on the server: toAddress('/docs'). */
export const toAddress = (path: string): string => basePath + path;

/** A stored file as it was uploaded, a screenshot as it was taken. */
export const toFileAddress = (fileId: string): string => toAddress(`/v1/my/files/${fileId}/content`);

/** The thumbnail of a terminal's latest screenshot; the file's id gives each screenshot a URL of its own. */
export const toThumbAddress = (terminalId: string, fileId: string): string =>
  toAddress(`/v1/my/trading/terminals/${terminalId}/screenshot?of=${fileId}`);
