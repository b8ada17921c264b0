/** A region that is added or edited. */
import type { OperatorRegion } from '@berth/client';
import { berth } from '../../data/berth.ts';
import { isBlank, readForm, useForm } from '../../data/form.ts';
import { Dialog, FormFoot } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { FormFailure } from '../../parts/form-failure.tsx';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';
import { regionKeys } from './regions-data.ts';

const words = pageTexts.overview;

interface FormProps {
  /** Undefined: it is a new one. */
  region: OperatorRegion | undefined;
  onClose: () => void;
}

const RegionForm = ({ region, onClose }: FormProps) => {
  const form = useForm({
    check: ({ name, flag }: Record<string, string>) => ({
      name: isBlank(name) ? words.enterName : undefined,
      flag: /^\s*[a-z]{2}\s*$/i.test(flag ?? '') ? undefined : words.enterFlag,
    }),
    run: ({ name = '', flag = '' }: Record<string, string>) =>
      region === undefined
        ? berth.operator.regions.create({ name, flag })
        : berth.operator.regions.update(region.id, { name, flag }),
    done: ({ name }) => (region === undefined ? words.regionAdded : words.regionSaved)(isolate(name)),
    touches: () => regionKeys,
    onDone: onClose,
  });
  return (
    <form {...form.props} className="grid gap-4" onSubmit={(event) => form.submit(readForm(event))}>
      <FormFailure error={form.error} fields={['name', 'flag']} />
      <Field
        label={words.name}
        name="name"
        required
        autoFocus
        maxLength={64}
        autoComplete="off"
        defaultValue={region?.name}
        error={form.toError('name')}
      />
      <Field
        label={words.flag}
        name="flag"
        required
        maxLength={2}
        autoComplete="off"
        defaultValue={region?.flag}
        note={words.flagNote}
        error={form.toError('flag')}
      />
      <FormFoot onClose={onClose} isBusy={form.isRunning}>
        {region === undefined ? words.addRegion : texts.save}
      </FormFoot>
    </form>
  );
};

export const RegionDialog = ({ region, isOpen, onClose }: FormProps & { isOpen: boolean }) => (
  <Dialog
    title={region === undefined ? words.addRegion : words.editRegion(isolate(region.name))}
    isOpen={isOpen}
    onClose={onClose}
    hasOwnActions
  >
    {isOpen ? <RegionForm region={region} onClose={onClose} /> : null}
  </Dialog>
);
