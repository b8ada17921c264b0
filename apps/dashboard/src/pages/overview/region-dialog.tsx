/** A region that is added or edited. */
import type { OperatorRegion } from '@berth/client';
import { berth } from '../../data/berth.ts';
import { isBlank, useForm } from '../../data/form.ts';
import { Field } from '../../parts/field.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { ItemDialog } from '../../parts/item-dialog.tsx';
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
    <DialogForm
      form={form}
      fields={['name', 'flag']}
      verb={region === undefined ? words.addRegion : texts.save}
      onClose={onClose}
    >
      <Field label={words.name} name="name" required autoFocus maxLength={64} defaultValue={region?.name} />
      <Field label={words.flag} name="flag" required maxLength={2} defaultValue={region?.flag} note={words.flagNote} />
    </DialogForm>
  );
};

/** @param props.asked Undefined: it is closed. */
export const RegionDialog = ({
  asked,
  onClose,
}: {
  asked: Pick<FormProps, 'region'> | undefined;
  onClose: () => void;
}) => (
  <ItemDialog
    item={asked}
    title={({ region }) => (region === undefined ? words.addRegion : words.editRegion(isolate(region.name)))}
    onClose={onClose}
  >
    {({ region }) => <RegionForm region={region} onClose={onClose} />}
  </ItemDialog>
);
