// @module-tag browser
/** What is done without a mouse: the command palette leads everywhere. And the screenshots of a terminal. */
import { useTestStack } from '@berth/testing';
import type { Page } from '@playwright/test';
import { see, useBrowser } from './support/flow.ts';
import { createTerminal } from './support/terminals.ts';

const stack = useTestStack();

const flow = useBrowser(() => stack.url);

/** Opens the palette, types, and takes the first command once it is the one that is meant. */
const command = async (page: Page, typed: string, name: string): Promise<void> => {
  const palette = page.getByRole('dialog', { name: 'Commands' });
  await page.keyboard.press('Control+K');
  await see(palette.getByRole('combobox')).toBeFocused();
  await page.keyboard.type(typed);
  await see(palette.getByRole('option', { selected: true })).toContainText(name);
  await page.keyboard.press('Enter');
  await see(palette).toHaveCount(0);
};

flow('the keyboard alone finds a terminal, creates a task, changes the theme, and signs out', async (visit) => {
  const { user, token } = await stack.register('Ada Lovelace');
  await createTerminal(stack, token, { name: 'Morning desk' });
  const { id, owner } = await createTerminal(stack, token, { name: 'Evening desk', login: '5002' });
  await owner.waitForStatus(id, 'ACTIVE');
  // What is asked for while somebody signs out is refused.
  const page = await visit.open('/terminals', { as: user, mayBe: [/status of 401/] });
  const heading = page.getByRole('heading', { level: 1 });
  await see(heading).toHaveText('Terminals');
  await see(page.getByRole('searchbox')).toBeVisible();
  // A field that is shown listens a moment later.
  await see
    .poll(async () => {
      await page.keyboard.press('/');
      return page.locator('input[type="search"]:focus').count();
    })
    .toBe(1);
  await page.keyboard.press('Control+K');
  await page.keyboard.type('evening');
  await see(page.getByRole('option', { name: 'Terminal: Evening desk' })).toBeVisible();
  await visit.assertSound(page);
  await page.keyboard.press('Escape');

  // Commands are found by the words of their fields, and their keys are shown.
  for (const [typed, name] of [
    ['log out', 'Sign out'],
    ['api', 'API docs'],
    ['settings', 'Account: Profile'],
    ['help', 'Keyboard shortcuts'],
  ] as const) {
    await page.keyboard.press('Control+K');
    await page.keyboard.type(typed);
    await see(page.getByRole('option', { name: new RegExp(`^${name}`) })).toBeVisible();
    await page.keyboard.press('Escape');
  }
  await see(page.getByRole('dialog')).toHaveCount(0);
  await page.getByRole('main').focus();
  await page.keyboard.press('?');
  await see(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toContainText('Search or run a command');
  await visit.assertSound(page);
  await page.keyboard.press('Escape');
  await see(page.getByRole('dialog')).toHaveCount(0);

  // A box that has the focus takes no letters.
  const box = page.getByLabel('Select Evening desk');
  await box.focus();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await page.keyboard.press('Escape');
  await see(page.getByRole('dialog')).toHaveCount(0);
  await box.focus();
  await page.keyboard.press('/');
  await see(page.getByRole('searchbox')).toBeFocused();

  await command(page, 'evening', 'Terminal: Evening desk');
  await see(heading).toHaveText('Evening desk');
  await see(page.getByRole('main')).toBeFocused();
  await page.keyboard.press('Control+K');
  await page.keyboard.type('screenshot');
  await see(page.getByRole('option', { name: 'Take screenshot' })).toBeVisible();
  await page.keyboard.press('Escape');
  await command(page, 'turn algo trading off', 'Turn algo trading off');
  await see(page.getByText('Experts can’t trade: algo trading is off.')).toBeVisible();
  await command(page, 'settings options', 'Settings');
  await see(page).toHaveURL(/tab=settings/);
  await command(page, 'light theme', 'Theme: Light');
  await see(page.locator('html')).toHaveAttribute('data-theme', 'light');
  await visit.assertSound(page);

  await page.keyboard.press('Control+K');
  await page.keyboard.type('no such thing');
  await see(page.getByText('No results. Try a shorter word.')).toBeVisible();
  await visit.assertSound(page);
  await page.keyboard.press('Escape');
  await command(page, 'tasks', 'Go to Tasks');
  await see(heading).toHaveText('Tasks');
  await command(page, 'sign out', 'Sign out');
  await see(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
});

flow('screenshots of the window and of one chart are taken, looked at again, and enlarged', async (visit) => {
  const { user, token } = await stack.register('Grace Hopper');
  const { id, owner } = await createTerminal(stack, token, { name: 'Screenshots', login: '6001' });
  await owner.waitForStatus(id, 'ACTIVE');
  const page = await visit.open(`/terminals/${id}`, { as: user });
  const screen = page.getByRole('region', { name: 'Screenshot', exact: true });
  await page.getByRole('button', { name: 'Take screenshot' }).click();
  await see(screen.getByRole('img', { name: 'Screenshot', exact: true })).toBeVisible();

  await screen.getByRole('button', { name: 'Screenshot a chart' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Width').fill('640');
  await form.getByLabel('Height').fill('480');
  await form.getByLabel('latency').check();
  await visit.assertSound(page);
  await form.getByRole('button', { name: 'Take screenshot' }).click();
  await see(form).toHaveCount(0);
  const strip = screen.getByRole('list').getByRole('button');
  await see(strip).toHaveCount(2);
  await strip.last().click();
  await see(strip.last()).toHaveAttribute('aria-pressed', 'true');
  await see(page).toHaveURL(/screenshot=/);
  await visit.assertSound(page);
  await strip.first().click();
  await see(page).not.toHaveURL(/screenshot=/);

  await screen.getByTitle('View full size').click();
  const zoom = page.getByRole('dialog');
  await see(zoom.getByRole('img')).toHaveJSProperty('naturalWidth', 640);
  await visit.assertSound(page);
  await page.keyboard.press('Escape');
  await see(zoom).toHaveCount(0);
});
