import type { StoredFile } from '@berth/client';
import { MAX_EXPERT_CHARACTERS } from '@berth/contract/values';
import { useId, useState } from 'react';
import { Check } from '../../../parts/check.tsx';
import { Dialog, FormFoot } from '../../../parts/dialog.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { Field } from '../../../parts/field.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { findFileError } from '../../../parts/expert/expert-file.ts';
import { toExpertName } from '../../../parts/expert/expert-name.ts';
import { FileField } from '../../../parts/file-field.tsx';
import { InputsEditor, toInputError } from '../../../parts/expert/inputs-editor.tsx';
import { hasInputError, toChangedInputs, type InputRow } from '../../../parts/expert/inputs.ts';
import { InstallForm } from '../../../parts/expert/install-dialog.tsx';
import { UploadedExperts } from '../../../parts/expert/uploaded-experts.tsx';
import { listEmpty, useCheckedForm } from '../../../data/checked-form.ts';
import { toFormError } from '../../../data/create-task.ts';
import { useExperts } from '../../../data/experts.ts';
import { useSendRun } from './send-run.ts';

const words = pageTexts.terminalExperts.many;
const install = pageTexts.terminalExperts.install;
const sentences = { ...install.wrong, file_id: words.nothing };

export interface ManyProps {
  /** Of the selected terminals. */
  ids: readonly string[];
  isOpen: boolean;
  onClose: () => void;
}

export const InstallMany = ({ ids, isOpen, onClose }: ManyProps) => {
  const send = useSendRun(ids, onClose);
  return (
    <Dialog
      title={words.installTitle(ids.length)}
      description={words.installText}
      isOpen={isOpen}
      onClose={onClose}
      hasOwnActions
    >
      <InstallForm send={send} file={undefined} onClose={onClose} />
    </Dialog>
  );
};

interface NameProps {
  name: string;
  error: string | undefined;
  onChange: (name: string) => void;
}

/** Any name, or one of those that run on terminals of the account. */
const Name = ({ name, error, onChange }: NameProps) => {
  const id = useId();
  const { data: experts = [] } = useExperts();
  const running = new Set(experts.filter(({ terminals }) => terminals > 0).map((expert) => expert.name));
  return (
    <>
      <Field
        label={words.name}
        note={words.nameNote}
        value={name}
        maxLength={MAX_EXPERT_CHARACTERS}
        dir="auto"
        autoComplete="off"
        list={id}
        error={error}
        onChange={({ target }) => onChange(target.value)}
      />
      <datalist id={id}>
        {[...running].map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </>
  );
};

const UpdateForm = ({ ids, onClose }: ManyProps) => {
  const [file, setFile] = useState<File | StoredFile>();
  const [typed, setTyped] = useState<string>();
  const [rows, setRows] = useState<InputRow[]>([]);
  const send = useSendRun(ids, onClose);
  const name = typed ?? (file === undefined ? '' : toExpertName(file.name));
  const inputs = toChangedInputs(rows, {});
  const fileError = file === undefined ? undefined : findFileError(file);
  const run = (): void => {
    if (send.isRunning) return;
    const toRequest = (fileId: string) => ({
      type: 'EA_UPDATE' as const,
      payload: {
        name,
        ...(file === undefined ? {} : { file_id: fileId }),
        ...(inputs === undefined ? {} : { inputs }),
      },
    });
    send.run({ file, toRequest });
  };
  const isNothing = file === undefined && inputs === undefined;
  const wrong = [
    ...(isNothing || fileError !== undefined ? ['file_id'] : []),
    ...listEmpty({ name }),
    ...(hasInputError(rows) ? ['inputs'] : []),
  ];
  const { form, submit, toError } = useCheckedForm({ wrong, error: send.error, sentences, send: run });
  const failure = toFormError(send.error, ['file_id', 'name', ...rows.map((row) => `inputs.${row.name}`)]);
  return (
    <form className="grid gap-4" onSubmit={submit} ref={form} noValidate>
      {failure === null ? null : <Failure error={failure} />}
      <FileField file={file} error={fileError ?? toError('file_id')} onFile={setFile} />
      <UploadedExperts chosen={file && 'sha256' in file ? file.id : undefined} onChoose={setFile} />
      <Name name={name} error={toError('name')} onChange={setTyped} />
      <InputsEditor
        rows={rows}
        none={pageTexts.terminalExperts.inputsEditor.kept}
        onChange={setRows}
        toError={(input) => toInputError(send.error, input)}
      />
      <FormFoot onClose={onClose} isBusy={send.isRunning}>
        {words.updateSubmit(ids.length)}
      </FormFoot>
    </form>
  );
};

export const UpdateMany = (props: ManyProps) => (
  <Dialog
    title={words.updateTitle(props.ids.length)}
    description={words.updateText}
    isOpen={props.isOpen}
    onClose={props.onClose}
    hasOwnActions
  >
    <UpdateForm {...props} />
  </Dialog>
);

const RemoveForm = ({ ids, onClose }: ManyProps) => {
  const [name, setName] = useState('');
  const [deletesFile, setDeletesFile] = useState(false);
  const send = useSendRun(ids, onClose);
  const run = (): void => {
    if (send.isRunning) return;
    const payload = { name, delete_file: deletesFile ? (1 as const) : (0 as const) };
    send.run({ file: undefined, toRequest: () => ({ type: 'EA_REMOVE', payload }) });
  };
  const checked = { wrong: listEmpty({ name }), error: send.error, sentences, send: run };
  const { form, submit, toError } = useCheckedForm(checked);
  const failure = toFormError(send.error, ['name']);
  return (
    <form className="grid gap-4" onSubmit={submit} ref={form} noValidate>
      {failure === null ? null : <Failure error={failure} />}
      <Name name={name} error={toError('name')} onChange={setName} />
      <Check label={pageTexts.terminalExperts.removeDialog.deleteFile} isOn={deletesFile} onChange={setDeletesFile} />
      <FormFoot onClose={onClose} isBusy={send.isRunning} kind="destroy">
        {words.removeSubmit(ids.length)}
      </FormFoot>
    </form>
  );
};

export const RemoveMany = (props: ManyProps) => (
  <Dialog
    title={words.removeTitle(props.ids.length)}
    description={words.removeText}
    isOpen={props.isOpen}
    onClose={props.onClose}
    hasOwnActions
  >
    <RemoveForm {...props} />
  </Dialog>
);
