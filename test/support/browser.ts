/** How tests start a browser: the system's Chromium. Nothing is downloaded. */
import { existsSync } from 'node:fs';

/** Debian's. */
const CHROMIUM = '/usr/bin/chromium';

export interface BrowserOptions {
  executablePath: string;
  args: string[];
}

/**
 * Options for Playwright's `chromium.launch`.
 * @throws Error that says how to install it
 */
export const getBrowserOptions = (): BrowserOptions => {
  if (!existsSync(CHROMIUM)) throw new Error(`${CHROMIUM} is missing: run "script/setup --browser" as root.`);
  // Chromium has no sandbox as root; the pages here are our own.
  return { executablePath: CHROMIUM, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] };
};
