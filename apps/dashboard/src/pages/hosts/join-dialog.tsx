import type { JoinToken } from '@berth/client';
import { useState } from 'react';
import { berth } from '../../data/berth.ts';
import { useOverview } from '../../data/overview.ts';
import { useRegions } from '../../data/regions.ts';
import { isBlank, isWithin, readForm, useForm } from '../../data/form.ts';
import { FormFailure } from '../../parts/form-failure.tsx';
import { FormFoot } from '../../parts/dialog.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { Moment } from '../../parts/zone.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { MAX_CAPACITY } from './host-settings.tsx';

const words = pageTexts.hosts;
type Platform = keyof typeof words.platforms;
const platforms = Object.keys(words.platforms) as Platform[];

interface Ready extends JoinToken {
  /** Where the host reaches the server. */
  address: string;
  platform: Platform;
  /** Where the server keeps its data, the address of its simulated broker among them. */
  dataDirectory: string;
}

const toShellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The command that starts the agent of the new host. */
const toCommand = ({ join_token: token, platform, dataDirectory, address }: Ready): string =>
  [
    `BERTH_SERVER_URL=${toShellWord(address)}`,
    `BERTH_JOIN_TOKEN=${toShellWord(token)}`,
    platform === 'sandbox'
      ? `BERTH_SANDBOX_NETWORK=${toShellWord(`${dataDirectory}/sandbox/network`)}`
      : `BERTH_AGENT_PLATFORMS=${platform}`,
    'script/agent',
  ].join(' \\\n  ');

const toUrl = (text: string): URL | undefined => {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
};

const toWarning = (url: URL | undefined): string | undefined => {
  if (url === undefined) return undefined;
  // Such an address is only reachable on the server's own machine.
  if (/^(127(\.\d+){3}|localhost|.*\.localhost|\[::1\])$/.test(url.hostname)) return words.onlyHere;
  return url.protocol === 'http:' ? words.unencrypted : undefined;
};

const createToken = async ({
  region = '',
  name = '',
  capacity = '',
  platform = '',
  address = '',
}: Record<string, string>) => {
  const body = { region: Number(region), name: name.trim(), capacity: Number(capacity) };
  const { data_directory: dataDirectory } = await berth.operator.overview();
  const token = await berth.operator.joinTokens.create(body);
  const own = { dataDirectory, address: address.trim().replace(/\/+$/, '') };
  return { ...token, ...own, platform: platforms.find((known) => known === platform) ?? 'mt5:wine' };
};

const Form = ({ onReady, onClose }: { onReady: (ready: Ready) => void; onClose: () => void }) => {
  const { data: overview } = useOverview();
  const [typed, setTyped] = useState<string>();
  const address = typed ?? overview?.public_url ?? berth.baseUrl;
  const warning = toWarning(toUrl(address));
  const { data: regions = [] } = useRegions();
  const form = useForm({
    check: ({ name, capacity, address: asked = '' }: Record<string, string>) => ({
      address: toUrl(asked) ? undefined : words.enterAddress,
      name: isBlank(name) ? words.enterName : undefined,
      capacity: isWithin(capacity, 1, MAX_CAPACITY) ? undefined : words.enterCapacity,
    }),
    run: createToken,
    onDone: onReady,
  });
  return (
    <form {...form.props} className="grid gap-4" onSubmit={(event) => form.submit(readForm(event))}>
      <FormFailure error={form.error} fields={['region', 'name', 'capacity']} />
      <Field
        label={words.name}
        name="name"
        required
        autoFocus
        maxLength={64}
        autoComplete="off"
        note={words.nameNote}
        error={form.toError('name')}
      />
      <Select label={words.regionField} name="region" error={form.toError('region')}>
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
        error={form.toError('capacity')}
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
        autoComplete="off"
        value={address}
        onChange={({ target }) => setTyped(target.value)}
        note={
          <>
            {words.addressNote}
            {warning === undefined ? null : <b className="block text-danger">{warning}</b>}
          </>
        }
        error={form.toError('address')}
      />
      <FormFoot onClose={onClose} isBusy={form.isRunning}>
        {words.makeCommand}
      </FormFoot>
    </form>
  );
};

/** Creates a join token, and shows the command to join a new host once. */
export const JoinDialog = (props: { isOpen: boolean; onClose: () => void }) => (
  <SecretDialog
    {...props}
    before={{ title: words.join, lead: words.joinLead }}
    after={{ title: words.joinReady, lead: words.joinReadyLead, label: words.command, done: words.done }}
    toSecret={toCommand}
    note={({ expires_at: end, platform, address }) => (
      <>
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
