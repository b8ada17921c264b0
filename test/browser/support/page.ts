/** What flows of several files ask of a page. */
import type { Page } from '@playwright/test';
import { PATIENCE_MS, see } from './flow.ts';

/** Fills the form of the sign-in page in and sends it. */
export const signIn = async (page: Page, { email, password }: { email: string; password: string }): Promise<void> => {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
};

/** Nothing sticks out to the side, once the page has taken its size: it is read by scrolling in one direction. */
export const assertNoSideScroll = async (page: Page): Promise<void> => {
  const root = 'document.documentElement';
  const measure = () => page.evaluate<number>(`${root}.scrollWidth - ${root}.clientWidth`);
  await see.poll(measure, { message: page.url(), timeout: PATIENCE_MS }).toBeLessThanOrEqual(0);
};

/** Drops a file of the person's machine somewhere on the page. */
export const dropFile = async (page: Page, { name, content }: { name: string; content: string }): Promise<void> => {
  await page.evaluate(`(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([${JSON.stringify(content)}], ${JSON.stringify(name)}));
    for (const type of ['dragover', 'drop']) {
      document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
    }
  })()`);
};
