/** What a command was asked to change, by what a person types. Exactly one, or none. */
import { CommandError, toPlainText, UsageError } from '@berth/command';
import type { HostDetails, ManagedUser } from '@berth/contract';
import { findLogin } from '../accounts/credentials.ts';
import { findUser } from '../accounts/managed-users.ts';
import { findManagedHost, listHostsNamed } from '../hosts/managed-hosts.ts';
import { isUuid } from '../validation/uuid.ts';
import type { Instance } from './instance.ts';

const toGiven = (text: string | undefined, what: string): string => {
  if (text === undefined || text.trim() === '') throw new UsageError(`The argument ${what} is empty.`);
  return text.trim();
};

/** @param text an id, or an e-mail address @throws CommandError */
export const getNamedUser = async ({ db }: Instance, text: string | undefined): Promise<ManagedUser> => {
  const given = toGiven(text, 'USER');
  const id = isUuid(given) ? given : (await findLogin(db, given))?.id;
  const user = id === undefined ? undefined : await findUser(db.slow, id);
  if (user) return user;
  const hint = 'script/operator users list --search TEXT finds users.';
  throw new CommandError(`There is no user with the id or e-mail address "${toPlainText(given)}". ${hint}`);
};

/** @param text an id, or a name @throws CommandError */
export const getNamedHost = async ({ db }: Instance, text: string | undefined): Promise<HostDetails> => {
  const given = toGiven(text, 'HOST');
  const ids = isUuid(given) ? [given] : await listHostsNamed(db, given);
  if (ids.length > 1) {
    const list = ids.join(', ');
    throw new CommandError(`There are several hosts with the name "${toPlainText(given)}". Take the id: ${list}.`);
  }
  const host = ids[0] === undefined ? undefined : await findManagedHost(db.slow, ids[0]);
  if (host) return host;
  const hint = 'script/operator hosts list lists them.';
  throw new CommandError(`There is no host with the id or name "${toPlainText(given)}". ${hint}`);
};
