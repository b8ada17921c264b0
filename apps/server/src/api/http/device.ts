/** The name of a browser in the list of sessions. Only known names are used: a User-Agent header may hold anything. */
const browsers: readonly [pattern: RegExp, name: string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/[\d.]+.*\bSafari\//, 'Safari'],
];
const systems: readonly [pattern: RegExp, name: string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];
/** Longer ones add nothing, and take longer to match. */
const MAX_LENGTH = 512;

/**
 * `Firefox on Linux`.
 * @param userAgent the header, whatever it holds
 */
export const toDevice = (userAgent: string | undefined): string => {
  const text = (userAgent ?? '').slice(0, MAX_LENGTH);
  const nameIn = (table: readonly [RegExp, string][]) => table.find(([pattern]) => pattern.test(text))?.[1];
  return `${nameIn(browsers) ?? 'A browser'} on ${nameIn(systems) ?? 'an unknown system'}`;
};
