import type { Platform } from '@berth/contract/values';
import { useAction } from '../../data/action.ts';
import { saveFile } from '../../data/save-file.ts';
import { Button } from '../button.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { hasInputError, toChangedInputs, type InputRow } from './inputs.ts';

const words = pageTexts.terminalExperts.inputsEditor;

/** Saves the inputs as a preset of MetaTrader. Its code is loaded when somebody does. */
export const PresetExport = ({ rows, platform }: { rows: readonly InputRow[]; platform: Platform | undefined }) => {
  const inputs = toChangedInputs(rows, {});
  const save = useAction({
    run: async (given: Record<string, string>) => {
      const { toSetFile } = await import('@berth/client/set-file');
      const bytes = toSetFile(given, { platform: platform === 'mt4' ? 'mt4' : 'mt5' });
      saveFile('preset.set', bytes, 'application/octet-stream');
    },
  });
  return (
    <Button
      whyNot={inputs === undefined ? words.preset.none : hasInputError(rows) ? words.invalid : undefined}
      onClick={() => (inputs === undefined ? undefined : save.run(inputs))}
    >
      {words.preset.save}
    </Button>
  );
};
