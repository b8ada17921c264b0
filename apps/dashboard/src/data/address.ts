/**
 * Where the dashboard is served: '' at the root of a host, '/desk' behind a proxy that has it there. The address of this
 * very script tells it (`…/assets/<name>.js`), so nothing has to be written into the page.
 */
const script = import.meta.url;

export const basePath = new URL(import.meta.env.DEV ? '/' : '..', script).pathname.replace(/\/$/, '');

/** The address of something that the server has: toAddress('/docs'). */
export const toAddress = (path: string): string => basePath + path;

/** A stored file as it was uploaded, a screenshot as it was taken. */
export const toFileAddress = (fileId: string): string => toAddress(`/v1/my/files/${fileId}/content`);

/** The latest screenshot of a terminal in small; the file's id makes another screenshot another address. */
export const toThumbAddress = (terminalId: string, fileId: string): string =>
  toAddress(`/v1/my/trading/terminals/${terminalId}/screenshot?of=${fileId}`);
