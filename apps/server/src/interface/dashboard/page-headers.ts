/**
 * Only what this server serves runs, is drawn or is asked for; no script and no style stands in the page itself. Parts that
 * place themselves (menus, charts, long lists) set styles from scripts, which this allows. Pictures may also come from
 * memory (`blob:`), where a task's result is shown.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** The page is asked for anew each time: it names the files that belong together. */
export const pageHeaders = {
  'cache-control': 'no-cache',
  'content-security-policy': PAGE_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'x-frame-options': 'DENY',
} as const;

/** Another content has another name. */
export const assetHeaders = { 'cache-control': 'public, max-age=31536000, immutable' } as const;
