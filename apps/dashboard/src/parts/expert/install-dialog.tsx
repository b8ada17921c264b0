import type { StoredFile, Terminal } from '@berth/client';
import {
  MAX_EXPERT_CHARACTERS,
  MAX_SYMBOL_CHARACTERS,
  periods,
  type Period,
  type Platform,
} from '@berth/contract/values';
import { useState } from 'react';
import { Check } from '../check.tsx';
import { Dialog, FormFoot } from '../dialog.tsx';
import { Failure } from '../failure.tsx';
import { Field, Select } from '../field.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { listEmpty, useCheckedForm } from '../../data/checked-form.ts';
import { toFormError } from '../../data/create-task.ts';
import type { Action } from '../../data/action.ts';
import { findFileError, useSendExpert, type SentExpert } from './expert-file.ts';
import { toExpertName } from './expert-name.ts';
import { FileField } from '../file-field.tsx';
import { InputsEditor, toInputError } from './inputs-editor.tsx';
import { UploadedExperts } from './uploaded-experts.tsx';
import { hasInputError, toChangedInputs, type InputRow } from './inputs.ts';

const words = pageTexts.terminalExperts.install;
const FIELDS = ['file_id', 'name', 'symbol', 'period'];

/** The form's values; the name follows the file until the user enters another one. */
interface Draft {
  file: File | StoredFile | undefined;
  name: string | undefined;
  symbol: string;
  period: Period;
  mayTrade: boolean;
  mayDll: boolean;
  rows: InputRow[];
}

const toDraft = (file: File | undefined): Draft => ({
  file,
  name: undefined,
  symbol: 'EURUSD',
  period: 'M15',
  mayTrade: true,
  mayDll: false,
  rows: [],
});

interface PartProps {
  draft: Draft;
  set: (changes: Partial<Draft>) => void;
  toError: (field: string) => string | undefined;
}

const toName = ({ name, file }: Draft): string => name ?? (file === undefined ? '' : toExpertName(file.name));

const Place = ({ draft, set, toError }: PartProps) => (
  <>
    <Field
      label={words.name}
      note={words.nameNote}
      value={toName(draft)}
      maxLength={MAX_EXPERT_CHARACTERS}
      dir="auto"
      autoComplete="off"
      error={toError('name')}
      onChange={(event) => set({ name: event.target.value })}
    />
    <div className="grid grid-cols-2 items-start gap-3">
      <Field
        label={words.symbol}
        note={words.symbolNote}
        value={draft.symbol}
        maxLength={MAX_SYMBOL_CHARACTERS}
        autoComplete="off"
        spellCheck={false}
        error={toError('symbol')}
        onChange={(event) => set({ symbol: event.target.value })}
      />
      <Select
        label={words.period}
        value={draft.period}
        error={toError('period')}
        onChange={(event) => set({ period: event.target.value as Period })}
      >
        {periods.map((period) => (
          <option key={period}>{period}</option>
        ))}
      </Select>
    </div>
  </>
);

const Permissions = ({ draft, set }: Omit<PartProps, 'toError'>) => (
  <div className="grid gap-2">
    <Check label={words.algo} isOn={draft.mayTrade} onChange={(mayTrade) => set({ mayTrade })} />
    <Check label={words.dll} note={words.dllNote} isOn={draft.mayDll} onChange={(mayDll) => set({ mayDll })} />
  </div>
);

export interface InstallFormProps {
  send: Action<SentExpert>;
  /** The file that was dropped, if any. */
  file: File | undefined;
  /** Of the terminal that a preset is saved for. */
  platform?: Platform;
  onClose: () => void;
}

/** Installs an expert from a file: on which chart, with which inputs, and its permissions. */
export const InstallForm = ({ send, file, platform, onClose }: InstallFormProps) => {
  const [draft, setDraft] = useState(() => toDraft(file));
  const set = (changes: Partial<Draft>): void => setDraft((old) => ({ ...old, ...changes }));
  const fileError = draft.file === undefined ? undefined : findFileError(draft.file);
  const run = (): void => {
    if (!draft.file || send.isRunning) return;
    const inputs = toChangedInputs(draft.rows, {});
    send.run({
      file: draft.file,
      toRequest: (fileId) => ({
        type: 'EA_INSTALL',
        payload: {
          name: toName(draft),
          file_id: fileId,
          symbol: draft.symbol.trim(),
          period: draft.period,
          allow_algo_trading: draft.mayTrade ? 1 : 0,
          allow_dll: draft.mayDll ? 1 : 0,
          ...(inputs === undefined ? {} : { inputs }),
        },
      }),
    });
  };
  const wrong = [
    ...(draft.file === undefined || fileError !== undefined ? ['file_id'] : []),
    ...listEmpty({ name: toName(draft), symbol: draft.symbol }),
    ...(hasInputError(draft.rows) ? ['inputs'] : []),
  ];
  const checked = { wrong, error: send.error, sentences: words.wrong, send: run };
  const { form, submit, toError } = useCheckedForm(checked);
  const failure = toFormError(send.error, [...FIELDS, ...draft.rows.map(({ name }) => `inputs.${name}`)]);
  return (
    <form className="grid gap-4" onSubmit={submit} ref={form} noValidate>
      {failure === null ? null : <Failure error={failure} />}
      <FileField file={draft.file} error={fileError ?? toError('file_id')} onFile={(chosen) => set({ file: chosen })} />
      <UploadedExperts
        chosen={draft.file && 'sha256' in draft.file ? draft.file.id : undefined}
        onChoose={(chosen) => set({ file: chosen })}
      />
      <Place draft={draft} set={set} toError={toError} />
      <Permissions draft={draft} set={set} />
      <InputsEditor
        rows={draft.rows}
        platform={platform}
        onChange={(rows) => set({ rows })}
        toError={(name) => toInputError(send.error, name)}
      />
      <FormFoot onClose={onClose} isBusy={send.isRunning}>
        {words.submit}
      </FormFoot>
    </form>
  );
};

export interface InstallDialogProps {
  terminal: Terminal;
  /** The file that was dropped, if any. */
  file: File | undefined;
  onClose: () => void;
}

export const InstallDialog = ({ terminal: { id, platform }, file, onClose }: InstallDialogProps) => {
  const send = useSendExpert(id, onClose);
  return (
    <Dialog title={words.title} description={words.text} isOpen onClose={onClose} hasOwnActions>
      <InstallForm send={send} file={file} platform={platform} onClose={onClose} />
    </Dialog>
  );
};
