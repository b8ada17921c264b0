import { LauncherError } from '../../../../launchers/launcher.ts';
import type { WindowInspector, ControlInfo, WindowInfo } from './window-inspector.ts';

/** The class of every standard dialog. */
export const DIALOG_CLASS = '#32770';

/** Captions mark access keys by `&`, and end in dots where something follows. */
const toPlainCaption = (text: string): string =>
  text
    .replaceAll('&', '')
    .replace(/[ .…:]+$/, '')
    .trim()
    .toLowerCase();

export const isCalled = ({ text }: Pick<ControlInfo, 'text'>, caption: string): boolean =>
  toPlainCaption(text) === toPlainCaption(caption);

const isButton = ({ className }: ControlInfo): boolean => className.toLowerCase() === 'button';

/** Pure. */
export const findButton = (controls: readonly ControlInfo[], caption: string): ControlInfo | undefined =>
  controls.find((control) => isButton(control) && control.isVisible && isCalled(control, caption));

/** Presses a button of a dialog by its caption. */
export const pressButton = async (inspector: WindowInspector, dialog: WindowInfo, caption: string): Promise<void> => {
  const what = `a button "${caption}" that can be pressed`;
  const { handle } = await inspector.waitForControls(what, dialog, (controls) => {
    const button = findButton(controls, caption);
    return button?.isEnabled ? button : undefined;
  });
  await inspector.act({ op: 'press', control: handle });
};

/** The field that follows a label, in the order in which the dialog was created. Pure. */
export const findFieldAfter = (
  controls: readonly ControlInfo[],
  label: string,
  className: string,
): ControlInfo | undefined => {
  const at = controls.findIndex((control) => control.isVisible && isCalled(control, label));
  return at < 0
    ? undefined
    : controls
        .slice(at + 1)
        .find((control) => control.isVisible && control.className.toLowerCase() === className.toLowerCase());
};

/** Like `findFieldAfter`. Throws where the dialog has none: it is from another version. */
export const getFieldAfter = (controls: readonly ControlInfo[], label: string, className: string): ControlInfo => {
  const field = findFieldAfter(controls, label, className);
  if (!field) throw new LauncherError('screen', `The terminal's dialog has no field "${label}".`);
  return field;
};
