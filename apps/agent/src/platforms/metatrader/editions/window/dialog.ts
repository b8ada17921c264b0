import { LauncherError } from '../../../../launchers/launcher.ts';
import type { Desk, DeskControl, DeskWindow } from './desk.ts';

/** The class of every standard dialog. */
export const DIALOG_CLASS = '#32770';

/** Captions mark their keys by `&`, and end in dots where something follows. */
const toPlainCaption = (text: string): string =>
  text
    .replaceAll('&', '')
    .replace(/[ .…:]+$/, '')
    .trim()
    .toLowerCase();

export const isCalled = ({ text }: Pick<DeskControl, 'text'>, caption: string): boolean =>
  toPlainCaption(text) === toPlainCaption(caption);

const isButton = ({ className }: DeskControl): boolean => className.toLowerCase() === 'button';

/** Pure. */
export const findButton = (controls: readonly DeskControl[], caption: string): DeskControl | undefined =>
  controls.find((control) => isButton(control) && control.isVisible && isCalled(control, caption));

/** Presses a button of a dialog by its caption. */
export const pressButton = async (desk: Desk, dialog: DeskWindow, caption: string): Promise<void> => {
  const what = `a button "${caption}" that can be pressed`;
  const { handle } = await desk.waitForControls(what, dialog, (controls) => {
    const button = findButton(controls, caption);
    return button?.isEnabled ? button : undefined;
  });
  await desk.act({ op: 'press', control: handle });
};

/** The field that follows a label, in the order in which the dialog was made. Pure. */
export const findFieldAfter = (
  controls: readonly DeskControl[],
  label: string,
  className: string,
): DeskControl | undefined => {
  const at = controls.findIndex((control) => control.isVisible && isCalled(control, label));
  return at < 0
    ? undefined
    : controls
        .slice(at + 1)
        .find((control) => control.isVisible && control.className.toLowerCase() === className.toLowerCase());
};

/** As `findFieldAfter`. Throws where the dialog has none: it is another version's. */
export const getFieldAfter = (controls: readonly DeskControl[], label: string, className: string): DeskControl => {
  const field = findFieldAfter(controls, label, className);
  if (!field) throw new LauncherError('screen', `The terminal's dialog has no field "${label}".`);
  return field;
};
