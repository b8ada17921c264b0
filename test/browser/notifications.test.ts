import { see } from './support/flow.ts';
import { useHostScene } from './support/host-scene.ts';

const { scene, flow } = useHostScene();

flow('failures come first and lead to their terminal, and terminals that are ready are one line', async (visit) => {
  const { user, token } = await scene.server.register('Ada Lovelace');
  const [gold = ''] = await scene.createTerminals(token, ['Gold', 'Silver', 'Copper']);
  await scene.server.query(
    `insert into notifications (id, user_id, type, data, created_at)
     select gen_random_uuid(), user_id, 'TerminalLoginFailed', jsonb_build_object('id', id, 'name', name), now() - interval '1 hour'
     from terminals where id = $1`,
    [gold],
  );
  const page = await visit.open('/account?tab=notifications', { as: user });
  const list = page.getByRole('list', { name: 'Notifications, failures first' });
  await see(list.getByRole('listitem')).toHaveText([/^Unread: Gold could not log in/, /^3 terminals are ready\./]);
  await see(page.getByRole('button', { name: 'Unread 1' })).toBeVisible();
  await see(page.getByRole('button', { name: 'Notifications, 1 needs attention' })).toBeVisible();
  await visit.assertSound(page);
  await page.getByRole('button', { name: 'Unread 1' }).click();
  await see(list.getByRole('listitem')).toHaveCount(1);
  await list.getByRole('link', { name: /^Gold could not/ }).click();
  await see(page.getByRole('heading', { name: 'Gold', level: 1 })).toBeVisible();

  await page.getByRole('button', { name: 'Notifications, 1 needs attention' }).click();
  await page.getByRole('menuitem', { name: /^3 terminals are ready/ }).click();
  await see(page.getByRole('heading', { name: 'Terminals', level: 1 })).toBeVisible();
  await page.getByRole('button', { name: 'Notifications, 1 needs attention' }).click();
  await page.getByRole('menuitem', { name: 'All notifications' }).click();
  await list.getByRole('button', { name: 'Mark as read' }).click();
  await see(page.getByRole('button', { name: 'Notifications, none needs attention' })).toBeVisible();
});

flow('a person who turned terminals that are ready off is not notified of them', async (visit) => {
  const { user, token } = await scene.server.register('Grace Hopper');
  const page = await visit.open('/account?tab=notifications', { as: user });
  await page.getByRole('button', { name: 'Settings' }).click();
  const dialog = page.getByRole('dialog', { name: 'Notification settings' });
  await see(dialog.getByRole('checkbox', { name: /^your password is changed/ })).toBeDisabled();
  await see(dialog.getByRole('checkbox', { name: /^your password is changed/ })).toBeChecked();
  await dialog.getByRole('checkbox', { name: 'a terminal is ready' }).uncheck();
  await visit.assertSound(page);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await see(page.getByText('Notification settings saved.')).toBeVisible();
  await scene.createTerminals(token, ['Quiet']);
  await page.reload();
  await see(page.getByText('No notifications yet')).toBeVisible();
  await page.getByRole('button', { name: 'Settings' }).click();
  await see(dialog.getByRole('checkbox', { name: 'a terminal is ready' })).not.toBeChecked();
});
