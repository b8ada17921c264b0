import type { Terminal } from '@berth/client';
import { useState } from 'react';
import { useAction } from '../../../data/action.ts';
import { berth } from '../../../data/berth.ts';
import { keys } from '../../../data/keys.ts';
import { Button } from '../../../parts/button.tsx';
import { Select } from '../../../parts/field.tsx';
import { Card } from '../../../parts/surfaces.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { AlgoSentence } from '../head/algo-sentence.tsx';
import { DeleteDialog } from '../head/delete-dialog.tsx';
import { useCreateTask, whyNotNow } from '../../../data/create-task.ts';
import { LabelsForm } from './labels-form.tsx';
import { Move } from './move.tsx';
import { NameForm } from './name-form.tsx';
import { Snapshots } from './snapshots.tsx';
import { WebForm } from './web-form.tsx';

const words = pageTexts.terminalSettings;

const Options = ({ terminal }: { terminal: Terminal }) => {
  const auto = useCreateTask(terminal.id);
  const market = useCreateTask(terminal.id);
  const whyNot = whyNotNow(terminal, 'OPTIONS_AUTO_TRADE');
  return (
    <Card title={words.optionsTitle} className="form-card">
      <p className="text-ink-2">
        {words.autoText} <AlgoSentence terminal={terminal} />
      </p>
      <div className="flex flex-wrap gap-2">
        {([0, 1] as const).map((allow) => (
          <Button
            key={allow}
            kind={allow === 0 ? 'danger' : 'quiet'}
            whyNot={whyNot}
            isBusy={auto.isRunning}
            onClick={() => auto.run({ type: 'OPTIONS_AUTO_TRADE', payload: { allow_algo_trading: allow } })}
          >
            {allow === 0 ? words.switchOff : words.switchOn}
          </Button>
        ))}
      </div>
      <p className="text-ink-2">{words.symbolsText}</p>
      <div>
        <Button
          whyNot={whyNotNow(terminal, 'MARKET_WATCH_SHOW_ALL')}
          isBusy={market.isRunning}
          onClick={() => market.run({ type: 'MARKET_WATCH_SHOW_ALL' })}
        >
          {words.showAll}
        </Button>
      </div>
    </Card>
  );
};

/** What runs, and where: what an operator asks first. */
const About = ({ terminal }: { terminal: Terminal }) => (
  <Card title={words.aboutTitle} className="form-card">
    <dl className="facts">
      <dt>{words.platform}</dt>
      <dd>{pageTexts.terminals.create.platforms[terminal.platform]}</dd>
      <dt>{words.build}</dt>
      <dd className="figure">{terminal.build ?? words.notKnown}</dd>
      <dt>{words.host}</dt>
      <dd>
        <bdi>{terminal.host_name ?? words.noHost}</bdi>
      </dd>
      <dt>{words.id}</dt>
      <dd className="figure break-all">{terminal.id}</dd>
    </dl>
    <p className="text-ink-2">{words.buildNote}</p>
  </Card>
);

const Deletion = ({ terminal }: { terminal: Terminal }) => {
  const [isOpen, setOpen] = useState(false);
  const isGoing = whyNotNow(terminal, 'TERMINAL_DESTROY') !== undefined;
  return (
    <Card title={words.deleteTitle} className="form-card">
      <p className="text-ink-2">{pageTexts.terminal.deleteText}</p>
      <div>
        <Button
          kind="danger"
          whyNot={isGoing ? pageTexts.terminal.isBeingDeleted : undefined}
          onClick={() => setOpen(true)}
        >
          {words.deleteThis}
        </Button>
      </div>
      <DeleteDialog terminal={terminal} isOpen={isOpen} onClose={() => setOpen(false)} />
    </Card>
  );
};

/** Minutes; 0 is never. */
const CHOICES = [0, 1, 5, 15, 60, 240, 1440] as const;

/** How often a screenshot is taken automatically. A choice takes effect immediately. */
const ScreenshotForm = ({ terminal: { id, screenshot_every_minutes: every } }: { terminal: Terminal }) => {
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

export const SettingsTab = ({ terminal }: { terminal: Terminal }) => (
  <div className="form-grid">
    <NameForm terminal={terminal} />
    <LabelsForm terminal={terminal} />
    <Options terminal={terminal} />
    <WebForm terminal={terminal} />
    <About terminal={terminal} />
    <ScreenshotForm terminal={terminal} />
    <Snapshots terminalId={terminal.id} />
    <Move terminal={terminal} />
    <Deletion terminal={terminal} />
  </div>
);
