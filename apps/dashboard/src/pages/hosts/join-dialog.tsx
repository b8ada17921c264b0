import type { JoinToken } from '@berth/client';
import { useState } from 'react';
import { berth } from '../../data/berth.ts';
import { useOverview } from '../../data/overview.ts';
import { useRegions } from '../../data/regions.ts';
import { isBlank, isWithin, useForm } from '../../data/form.ts';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { Moment } from '../../parts/zone.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { MAX_CAPACITY } from './host-dialogs.tsx';
import { isInstalled, isLoopback, toCommand, type Joining, type Platform } from './join-command.ts';

const words = pageTexts.hosts;
const platforms = Object.keys(words.platforms) as Platform[];

interface Ready extends JoinToken, Joining {}

const toUrl = (text: string): URL | undefined => {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
};

/** Whether others may read on the way what a host sends to this address. */
const isUnencrypted = (url: URL): boolean => url.protocol === 'http:' && !isLoopback(url);

const toWarning = (url: URL | undefined): string | undefined => {
  if (url === undefined) return undefined;
  if (isLoopback(url)) return words.onlyHere;
  return isUnencrypted(url) ? words.unencrypted : undefined;
};

/** The installer takes no such address; an agent that is started by hand does. */
const toAddressError = (url: URL | undefined, platform: string | undefined): string | undefined => {
  if (url === undefined) return words.enterAddress;
  return platform !== 'sandbox' && isUnencrypted(url) ? words.needsTls : undefined;
};

const createToken = async ({
  region = '',
  name = '',
  capacity = '',
  platform = '',
  address = '',
}: Record<string, string>) => {
  const body = { region: Number(region), name: name.trim(), capacity: Number(capacity) };
  const { data_directory: dataDirectory, installer_sha256: installerSha256 } = await berth.operator.overview();
  const token = await berth.operator.joinTokens.create(body);
  return {
    ...token,
    address: address.trim().replace(/\/+$/, ''),
    platform: platforms.find((known) => known === platform) ?? 'mt5:wine',
    dataDirectory,
    installerSha256,
  };
};

const Form = ({ onReady, onClose }: { onReady: (ready: Ready) => void; onClose: () => void }) => {
  const { data: overview } = useOverview();
  const [typed, setTyped] = useState<string>();
  const address = typed ?? overview?.public_url ?? berth.baseUrl;
  const warning = toWarning(toUrl(address));
  const { data: regions = [] } = useRegions();
  const form = useForm({
    check: ({ name, capacity, platform, address: asked = '' }: Record<string, string>) => ({
      address: toAddressError(toUrl(asked), platform),
      name: isBlank(name) ? words.enterName : undefined,
      capacity: isWithin(capacity, 1, MAX_CAPACITY) ? undefined : words.enterCapacity,
    }),
    run: createToken,
    onDone: onReady,
  });
  return (
    <DialogForm form={form} fields={['region', 'name', 'capacity']} verb={words.makeCommand} onClose={onClose}>
      <Field label={words.name} name="name" required autoFocus maxLength={64} note={words.nameNote} />
      <Select label={words.regionField} name="region">
        {regions.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </Select>
      <Field
        label={words.capacity}
        name="capacity"
        type="number"
        required
        min={1}
        max={MAX_CAPACITY}
        defaultValue={20}
        note={words.capacityNote}
      />
      <Select label={words.runs} name="platform" note={words.docs}>
        {platforms.map((platform) => (
          <option key={platform} value={platform}>
            {words.platforms[platform]}
          </option>
        ))}
      </Select>
      <Field
        label={words.address}
        name="address"
        type="url"
        required
        value={address}
        onChange={({ target }) => setTyped(target.value)}
        note={
          <>
            {words.addressNote}
            {warning === undefined ? null : <b className="block text-danger">{warning}</b>}
          </>
        }
      />
    </DialogForm>
  );
};

/** Creates a join token, and shows the command to join a new host once. */
export const JoinDialog = (props: { isOpen: boolean; onClose: () => void }) => (
  <SecretDialog<Ready>
    {...props}
    before={{ title: words.join, lead: words.joinLead }}
    after={{ title: words.joinReady, lead: words.joinReadyLead, label: words.command, done: words.done }}
    toSecret={toCommand}
    note={({ expires_at: end, platform, address, installerSha256 }) => (
      <>
        <p className="text-ink-2">{isInstalled({ platform, installerSha256 }) ? words.asRoot : words.inRepository}</p>
        <p className="text-ink-2">
          {words.joinExpires} <Moment at={end} />.
        </p>
        {platform === 'sandbox' ? <p className="text-ink-2">{words.networkNote}</p> : null}
        <p className="text-ink-2">{toWarning(toUrl(address))}</p>
      </>
    )}
  >
    {(onReady, onClose) => <Form onReady={onReady} onClose={onClose} />}
  </SecretDialog>
);
