/** What no page may do, whatever a flow is about: break its policy, fail, complain, or ask another host for anything. */
import type { Page } from '@playwright/test';

/** Reports policy violations even where the browser does not log them to its console. */
const TELL_VIOLATIONS = `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  console.error('policy broken: ' + violatedDirective + ' ' + blockedURI));`;

/** Other tests make and remove networks of their machine; a browser then breaks off what it loads, and loads it again. */
const NOT_OURS = /net::ERR_NETWORK_CHANGED/;

/** Collects what a page does wrong. Call it before the page is navigated anywhere. */
export const watchPage = async (page: Page, origin: string, mayBe: readonly RegExp[]): Promise<string[]> => {
  const wrong: string[] = [];
  const note = (text: string): void => {
    if (![NOT_OURS, ...mayBe].some((pattern) => pattern.test(text))) wrong.push(text);
  };
  await page.addInitScript(TELL_VIOLATIONS);
  page.on('console', (message) => {
    if (message.type() === 'error') note(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => note(`error in the page: ${error.stack ?? error.message}`));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith('http') && url.origin !== origin) note(`asked another host: ${request.url()}`);
  });
  return wrong;
};
