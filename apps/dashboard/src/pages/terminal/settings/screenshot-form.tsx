import type { Terminal } from '@berth/client';
import { useAction } from '../../../data/action.ts';
import { berth } from '../../../data/berth.ts';
import { keys } from '../../../data/keys.ts';
import { Select } from '../../../parts/field.tsx';
import { Card } from '../../../parts/surfaces.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';

const words = pageTexts.terminalSettings;

/** Minutes; 0 is never. */
const CHOICES = [0, 1, 5, 15, 60, 240, 1440] as const;

/** How often a screenshot is taken automatically. A choice takes effect immediately. */
export const ScreenshotForm = ({ terminal: { id, screenshot_every_minutes: every } }: { terminal: Terminal }) => {
  const save = useAction({
    run: (minutes: number) => berth.terminals.update(id, { screenshot_every_minutes: minutes }),
    done: (_, minutes) => words.screenshotsSaved(minutes),
    touches: () => [keys.terminals.one(id)],
  });
  const now = every ?? 0;
  const choices = [...new Set([...CHOICES, now])].sort((a, b) => a - b);
  return (
    <Card title={words.screenshotsTitle} className="form-card">
      <Select
        label={words.screenshotsEvery}
        note={words.screenshotsNote}
        value={now}
        disabled={save.isRunning}
        onChange={(event) => save.run(Number(event.target.value))}
      >
        {choices.map((minutes) => (
          <option key={minutes} value={minutes}>
            {words.every(minutes)}
          </option>
        ))}
      </Select>
    </Card>
  );
};
