import { Card } from '../../parts/surfaces.tsx';
import { setTheme, useTheme, type ThemeChoice } from '../../style/theme.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';

const words = pageTexts.account.appearance;
const choices: readonly ThemeChoice[] = ['dark', 'light', 'system'];

/** Light, dark or the system's theme, for this browser. */
export const AppearanceTab = () => {
  const theme = useTheme();
  return (
    <Card className="max-w-[560px]">
      <p className="mb-3 text-ink-2">{words.lead}</p>
      <fieldset className="grid gap-2">
        <legend className="field-name mb-2">{words.legend}</legend>
        {choices.map((choice) => (
          <label key={choice} className="choice">
            <input type="radio" name="theme" checked={choice === theme} onChange={() => setTheme(choice)} />
            <span>
              {texts.frame.themes[choice]}
              {choice === 'system' ? <small className="block">{words.systemNote}</small> : null}
            </span>
          </label>
        ))}
      </fieldset>
    </Card>
  );
};
