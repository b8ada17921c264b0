import type { JoinToken } from '@berth/client';
import { berth } from '../../data/berth.ts';
import { useRegions } from '../../data/regions.ts';
import { isBlank, isWithin, readForm, useForm } from '../../data/form.ts';
import { FormFailure } from '../../parts/form-failure.tsx';
import { FormFoot } from '../../parts/dialog.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { Moment } from '../../parts/zone.tsx';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.hosts;
type Platform = keyof typeof words.platforms;
const MAX_CAPACITY = 10_000;
const platforms = Object.keys(words.platforms) as Platform[];

interface Ready extends JoinToken {
  platform: Platform;
  /** Where the server keeps its data, the address of its simulated broker among them. */
  dataDirectory: string;
}

const toShellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The command that starts the agent of the new host, with the URL by which this browser reaches the server. */
const toCommand = ({ join_token: token, platform, dataDirectory }: Ready): string =>
  [
    `BERTH_SERVER_URL=${berth.baseUrl}`,
    `BERTH_JOIN_TOKEN=${toShellWord(token)}`,
    platform === 'sandbox'
      ? `BERTH_SANDBOX_NETWORK=${toShellWord(`${dataDirectory}/sandbox/network`)}`
      : `BERTH_AGENT_PLATFORMS=${platform}`,
    'script/agent',
  ].join(' \\\n  ');

/** Such an address is only reachable on the server's own machine. */
const isOnlyHere = ['127.0.0.1', 'localhost', '[::1]'].includes(location.hostname);

const createToken = async ({ region = '', name = '', capacity = '', platform = '' }: Record<string, string>) => {
  const body = { region: Number(region), name: name.trim(), capacity: Number(capacity) };
  const { data_directory: dataDirectory } = await berth.operator.overview();
  const token = await berth.operator.joinTokens.create(body);
  return { ...token, dataDirectory, platform: platforms.find((known) => known === platform) ?? 'mt5:wine' };
};

const Form = ({ onReady, onClose }: { onReady: (ready: Ready) => void; onClose: () => void }) => {
  const { data: regions = [] } = useRegions();
  const form = useForm({
    check: ({ name, capacity }: Record<string, string>) => ({
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
    note={({ expires_at: end, platform }) => (
      <>
        <p className="text-ink-2">
          {words.joinExpires} <Moment at={end} />.
        </p>
        {platform === 'sandbox' ? <p className="text-ink-2">{words.networkNote}</p> : null}
        {isOnlyHere ? <p className="text-ink-2">{words.onlyHere}</p> : null}
      </>
    )}
  >
    {(onReady, onClose) => <Form onReady={onReady} onClose={onClose} />}
  </SecretDialog>
);
