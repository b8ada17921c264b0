import { ValidationError, type CreatedTerminal, type NewTerminal } from '@berth/client';
import { platforms, type Platform } from '@berth/contract/values';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { toErrorText, toRequestId, useAction } from '../../../data/action.ts';
import { berth } from '../../../data/berth.ts';
import { keys } from '../../../data/keys.ts';
import { useAllProjects } from '../../../data/projects.ts';
import { createRandomText } from '../../../data/random.ts';
import { useCapacities } from '../../../data/regions.ts';
import { Check } from '../../../parts/check.tsx';
import { FormFoot } from '../../../parts/dialog.tsx';
import { Field, Select } from '../../../parts/field.tsx';
import { ServerField } from '../../../parts/server-field.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { texts } from '../../../texts/texts.ts';
import { toPlaces, type Place } from './places.ts';
import { SnapshotChoice, type Origin } from './snapshot-choice.tsx';

const words = pageTexts.terminals.create;

interface Values {
  region: string;
  platform: string;
  server: string;
  login: string;
  password: string;
  name: string;
  project: string;
  trades: boolean;
}

const blank: Values = {
  ...{ region: '', platform: '', server: '', login: '', password: '', name: '', project: '' },
  trades: false,
};

/** What another terminal is likely to have, too. */
export type Kept = Pick<Values, 'region' | 'platform' | 'server' | 'project'>;

const orNone = (text: string): string | undefined => (text.trim() === '' ? undefined : text);

const toRequest = (values: Values, platform: Platform | undefined, snapshotId: string | undefined): NewTerminal => ({
  server_name: values.server,
  login: values.login,
  password: values.password,
  name: orNone(values.name),
  region: values.region === '' ? undefined : Number(values.region),
  project_id: orNone(values.project),
  platform,
  snapshot_id: snapshotId,
  allow_algo_trading: snapshotId !== undefined && values.trades ? 1 : undefined,
});

/** The form's fields by their names in the API, to show its messages where they belong. */
const fieldNames = ['server_name', 'login', 'password', 'name', 'region', 'project_id', 'platform'] as const;
type FieldName = (typeof fieldNames)[number];

const toFieldErrors = (error: Error | null): Partial<Record<FieldName, string>> => {
  if (!(error instanceof ValidationError)) return {};
  return Object.fromEntries(fieldNames.flatMap((name) => (error.errors[name] ? [[name, error.errors[name][0]]] : [])));
};

/** The terminal being set up. */
export type Created = Pick<CreatedTerminal, 'id'>;

const useCreate = (onCreated: (created: Created) => void) => {
  // The same key for the same request: a second click, or a retry after a lost answer, does not create a second one.
  const [key, setKey] = useState(createRandomText);
  const create = useAction({
    run: ({ request, idempotencyKey }: { request: NewTerminal; idempotencyKey: string }) =>
      berth.terminals.create(request, { idempotencyKey }),
    touches: () => [keys.terminals.lists],
    onDone: onCreated,
    isSilentOnError: true,
  });
  const start = (request: NewTerminal, isChanged: boolean): void => {
    // Another request with the same key would be refused.
    const idempotencyKey = isChanged ? createRandomText() : key;
    setKey(idempotencyKey);
    create.run({ request, idempotencyKey });
  };
  return { ...create, start };
};

/** A problem with the whole request, not with one field: a limit of the plan, or an unreachable server. */
const Refusal = ({ error }: { error: Error | null }) => {
  if (error === null || Object.keys(toFieldErrors(error)).length > 0) return null;
  const requestId = toRequestId(error);
  return (
    <p className="field-error" role="alert">
      {toErrorText(error)} {requestId === undefined ? null : <small>{texts.requestId(requestId)}</small>}
    </p>
  );
};

interface FieldsProps {
  values: Values;
  errors: Partial<Record<FieldName, string>>;
  onChange: (change: Partial<Values>) => void;
}

interface PlaceFieldsProps extends FieldsProps {
  places: readonly Place[];
  place: Place | undefined;
}

const PlaceFields = ({ values, places, place, errors, onChange }: PlaceFieldsProps) => {
  const offered = place?.platforms ?? platforms.filter((one) => places.some((other) => other.platforms.includes(one)));
  return (
    <div className="two-fields">
      <Select
        label={words.region}
        value={values.region}
        error={errors.region}
        note={place?.free === 0 ? words.full : undefined}
        onChange={(event) => onChange({ region: event.target.value })}
      >
        <option value="">{words.anyRegion}</option>
        {places.map(({ id, label, free, isClosed, platforms: offers }) => (
          <option key={id} value={id} disabled={isClosed}>
            {isClosed ? words.closed(label) : offers.length === 0 ? words.noHost(label) : words.place(label, free)}
          </option>
        ))}
      </Select>
      <Select
        label={words.platform}
        value={values.platform}
        error={errors.platform}
        onChange={(event) => onChange({ platform: event.target.value })}
      >
        <option value="">{words.anyPlatform}</option>
        {offered.map((platform) => (
          <option key={platform} value={platform}>
            {words.platforms[platform]}
          </option>
        ))}
      </Select>
    </div>
  );
};

const AccountFields = ({ values, errors, onChange }: FieldsProps) => (
  <>
    <ServerField
      value={values.server}
      error={errors.server_name}
      note={words.serverNote}
      autoFocus={values.server === ''}
      onChange={(server) => onChange({ server })}
    />
    <div className="two-fields">
      <Field
        label={words.login}
        value={values.login}
        error={errors.login}
        maxLength={64}
        autoComplete="off"
        autoFocus={values.server !== ''}
        onChange={(event) => onChange({ login: event.target.value })}
      />
      <Field
        label={words.password}
        type="password"
        value={values.password}
        error={errors.password}
        note={words.passwordNote}
        maxLength={128}
        autoComplete="new-password"
        onChange={(event) => onChange({ password: event.target.value })}
      />
    </div>
  </>
);

const NameFields = ({ values, errors, onChange }: FieldsProps) => {
  const { data: projects = [] } = useAllProjects();
  return (
    <div className="two-fields">
      <Field
        label={words.name}
        value={values.name}
        error={errors.name}
        note={words.nameNote}
        maxLength={255}
        autoComplete="off"
        onChange={(event) => onChange({ name: event.target.value })}
      />
      <Select
        label={words.project}
        value={values.project}
        error={errors.project_id}
        onChange={(event) => onChange({ project: event.target.value })}
      >
        <option value="">{words.defaultProject}</option>
        {projects.map(({ id, name }) => (
          <option key={id} value={id}>
            {name.slice(0, 60)}
          </option>
        ))}
      </Select>
    </div>
  );
};

export interface CreateFormProps {
  /** Of the terminal before. */
  kept: Kept | undefined;
  onSent: (kept: Kept) => void;
  onCreated: (created: Created) => void;
  onClose: () => void;
  /** What it is made from; undefined: whoever fills in the form may choose. */
  snapshotId: string | undefined;
}

/** The fields of a new terminal. */
export const CreateForm = ({ kept, onSent, onCreated, onClose, snapshotId: given }: CreateFormProps) => {
  const [values, setValues] = useState({ ...blank, ...kept });
  const [isChanged, setChanged] = useState(false);
  const [origin, setOrigin] = useState<Origin>();
  const [isIncomplete, setIncomplete] = useState(false);
  const snapshotId = given ?? origin?.snapshotId;
  const { data: regions } = useCapacities();
  const { start, isRunning, error } = useCreate(onCreated);
  const places = toPlaces(regions ?? []);
  const place = places.find(({ id }) => String(id) === values.region);
  const onChange = (change: Partial<Values>): void => {
    setChanged(true);
    setValues((old) => ({ ...old, ...change }));
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isRunning) return;
    setIncomplete(origin !== undefined && snapshotId === undefined);
    if (origin !== undefined && snapshotId === undefined) return;
    setChanged(false);
    onSent({ region: values.region, platform: values.platform, server: values.server, project: values.project });
    start(
      toRequest(
        values,
        platforms.find((one) => one === values.platform),
        snapshotId,
      ),
      isChanged,
    );
  };
  const form = useRef<HTMLFormElement>(null);
  // To the first field that was refused.
  useEffect(() => {
    if (error !== null || isIncomplete) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error, isIncomplete]);
  const fields = { values, errors: toFieldErrors(error), onChange };
  return (
    <form className="grid gap-4" onSubmit={submit} noValidate ref={form}>
      <AccountFields {...fields} />
      <PlaceFields {...fields} places={places} place={place} />
      <NameFields {...fields} />
      {given === undefined ? (
        <SnapshotChoice
          origin={origin}
          error={isIncomplete ? words.snapshot.missing : undefined}
          onChange={(to) => {
            setChanged(true);
            setOrigin(to);
          }}
        />
      ) : null}
      {snapshotId === undefined ? null : (
        <Check
          label={words.trades}
          note={words.tradesNote}
          isOn={values.trades}
          onChange={(trades) => onChange({ trades })}
        />
      )}
      <Refusal error={error} />
      <FormFoot onClose={onClose} isBusy={isRunning}>
        {words.submit}
      </FormFoot>
    </form>
  );
};
