import type { Terminal } from '@berth/client';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import type { TaskRequest } from '../../../data/tasks.ts';
import { Button } from '../../../parts/button.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { Field } from '../../../parts/field.tsx';
import { Card } from '../../../parts/surfaces.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { useLeadForm } from '../../../data/lead.ts';
import { findFileError, useSendExpert } from '../../../parts/expert/expert-file.ts';
import { FileField } from '../../../parts/file-field.tsx';
import { useCheckedForm } from '../../../data/checked-form.ts';
import { toFormError, useCreateTask, whyNotNow } from '../../../data/create-task.ts';

const words = pageTexts.terminalAccount;
const MAX_SERVERS = 64;

interface NamedServer {
  name: string;
  address: string;
}

const empty: NamedServer = { name: '', address: '' };

const toRequest = (servers: readonly NamedServer[], fileId?: string): TaskRequest => ({
  type: 'ACCOUNT_SERVER',
  payload: {
    ...(servers.length === 0 ? {} : { servers: [...servers] }),
    ...(fileId === undefined ? {} : { file_id: fileId }),
  },
});

/** Non-empty lines: only these are sent, and errors refer to their positions. */
const listGiven = (servers: readonly NamedServer[]): NamedServer[] =>
  servers.filter(({ name, address }) => name.trim() !== '' || address.trim() !== '');

/** Of the first line, if none is given: that is where something is missing. */
const toField = (servers: readonly NamedServer[], server: NamedServer, field: keyof NamedServer): string => {
  const given = listGiven(servers);
  return `servers.${given.length === 0 ? servers.indexOf(server) : given.indexOf(server)}.${field}`;
};

const isWrong = ({ name, address }: NamedServer): Record<keyof NamedServer, boolean> => ({
  name: name.trim() === '',
  address: !/^[a-z0-9.-]+:\d{1,5}$/i.test(address.trim()),
});

const findWrong = (servers: readonly NamedServer[], hasFile: boolean): string[] => {
  const given = listGiven(servers);
  const sent = given.length === 0 && !hasFile ? servers.slice(0, 1) : given;
  return sent.flatMap((server) =>
    (['name', 'address'] as const)
      .filter((field) => isWrong(server)[field])
      .map((field) => toField(servers, server, field)),
  );
};

interface LinesProps {
  servers: readonly NamedServer[];
  /** The sentence about a field, by its name in a request. */
  toError: (field: string) => string | undefined;
  onChange: (servers: NamedServer[]) => void;
}

const Lines = ({ servers, toError, onChange }: LinesProps) => (
  <>
    {servers.map((server, index) => (
      <div key={index} className="server-line">
        {(['name', 'address'] as const).map((field) => (
          <Field
            key={field}
            label={field === 'name' ? words.serverName : words.address}
            value={server[field]}
            maxLength={field === 'name' ? 128 : 261}
            autoComplete="off"
            spellCheck={false}
            error={toError(toField(servers, server, field))}
            onChange={({ target: { value } }) =>
              onChange(servers.map((old, at) => (at === index ? { ...old, [field]: value } : old)))
            }
          />
        ))}
        <Button
          kind="bare"
          icon={<X />}
          aria-label={words.dropServer}
          onClick={() => onChange(servers.filter((_, at) => at !== index))}
        />
      </div>
    ))}
  </>
);

/** Trading servers that the terminal does not know by itself. */
export const ServersForm = ({ terminal }: { terminal: Terminal }) => {
  const [servers, setServers] = useState<NamedServer[]>([empty]);
  const [file, setFile] = useState<File>();
  const create = useCreateTask(terminal.id, { isForm: true });
  const send = useSendExpert(terminal.id, () => setFile(undefined));
  const given = listGiven(servers);
  const whyNot = whyNotNow(terminal, 'ACCOUNT_SERVER');
  const error = file === undefined ? create.error : send.error;
  const run = (): void => {
    if (whyNot !== undefined || create.isRunning || send.isRunning) return;
    if (file === undefined) create.run(toRequest(given));
    else send.run({ file, toRequest: (fileId) => toRequest(given, fileId) });
  };
  const fields = servers.flatMap((_, index) => [`servers.${index}.name`, `servers.${index}.address`]);
  const fileError = file && findFileError(file);
  const { form, submit, toError } = useCheckedForm({
    wrong: [...findWrong(servers, file !== undefined), ...(fileError === undefined ? [] : ['file_id'])],
    error,
    sentences: {
      ...Object.fromEntries(
        fields.map((field) => [field, field.endsWith('name') ? words.wrong.serverName : words.wrong.address]),
      ),
      file_id: words.wrong.file_id,
    },
    send: run,
  });
  useLeadForm('servers', form);
  const failure = toFormError(error, [...fields, 'file_id']);
  return (
    <Card title={words.serversTitle}>
      <form className="form-card" onSubmit={submit} aria-label={words.serversTitle} ref={form} noValidate>
        <p className="text-ink-2">{words.serversText}</p>
        {failure === null ? null : <Failure error={failure} />}
        <Lines servers={servers} toError={toError} onChange={setServers} />
        {servers.length < MAX_SERVERS ? (
          <div>
            <Button isStep icon={<Plus />} onClick={() => setServers([...servers, empty])}>
              {words.addServer}
            </Button>
          </div>
        ) : null}
        <FileField label={words.fromFile} file={file} error={fileError ?? toError('file_id')} onFile={setFile} />
        <div>
          <Button type="submit" whyNot={whyNot} isBusy={create.isRunning || send.isRunning}>
            {words.setServers}
          </Button>
        </div>
      </form>
    </Card>
  );
};
