/** How tests start a browser, in one place: the system's Chromium. Nothing is downloaded. */
import { existsSync } from 'node:fs';

/** Debian's. */
const CHROMIUM = '/usr/bin/chromium';

export interface BrowserOptions {
  executablePath: string;
  args: string[];
}

/**
 * What `chromium.launch` of Playwright takes.
 * @throws Error that says how to install it
 */
export const getBrowserOptions = (): BrowserOptions => {
  if (!existsSync(CHROMIUM)) throw new Error(`${CHROMIUM} is missing: run "script/setup --browser" as root.`);
  // Chromium has no sandbox for root; the pages here are our own.
  return { executablePath: CHROMIUM, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] };
};
