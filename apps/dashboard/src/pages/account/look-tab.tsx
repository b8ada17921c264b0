import { Card } from '../../parts/surfaces.tsx';
import { setTheme, useTheme, type ThemeChoice } from '../../style/theme.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';

const words = pageTexts.account.look;
const choices: readonly ThemeChoice[] = ['dark', 'light', 'system'];

/** Day, night or the system, for this browser. */
export const LookTab = () => {
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
              <small className="block">{words.notes[choice]}</small>
            </span>
          </label>
        ))}
      </fieldset>
    </Card>
  );
};
