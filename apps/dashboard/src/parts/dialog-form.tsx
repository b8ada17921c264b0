import type { ButtonProps } from './button.tsx';
import { FormFoot } from './dialog.tsx';
import { Form, type FormProps } from './form.tsx';

export interface DialogFormProps<Values> extends FormProps<Values>, Pick<ButtonProps, 'kind' | 'whyNot'> {
  /** The label of the button that sends it. */
  verb: string;
  onClose: () => void;
}

/** A form in a dialog. A password manager has nothing to offer there, unless a field says otherwise. */
export const DialogForm = <Values,>(props: DialogFormProps<Values>) => {
  const { verb, kind = 'primary', whyNot, onClose, children, ...form } = props;
  return (
    <Form autoComplete="off" {...form}>
      {children}
      <FormFoot onClose={onClose} kind={kind} whyNot={whyNot} isBusy={form.form.isRunning}>
        {verb}
      </FormFoot>
    </Form>
  );
};
