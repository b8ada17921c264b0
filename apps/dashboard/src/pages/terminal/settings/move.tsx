import type { Terminal, TerminalMove } from '@berth/client';
import { useState } from 'react';
import { berth } from '../../../data/berth.ts';
import { isBlank, useForm } from '../../../data/form.ts';
import { keys } from '../../../data/keys.ts';
import { useRegions } from '../../../data/regions.ts';
import { Button } from '../../../parts/button.tsx';
import { Select } from '../../../parts/field.tsx';
import { DialogForm } from '../../../parts/dialog-form.tsx';
import { ItemDialog } from '../../../parts/item-dialog.tsx';
import { Card } from '../../../parts/surfaces.tsx';
import { isolate } from '../../../texts/isolate.ts';
import { pageTexts } from '../../../texts/page-texts.ts';

const words = pageTexts.terminalSettings.move;

const MoveForm = ({ terminal: { id, name, region }, onClose }: { terminal: Terminal; onClose: () => void }) => {
  const { data: regions = [] } = useRegions();
  const form = useForm<Record<string, string>, TerminalMove>({
    check: ({ region: chosen }) => ({ region: isBlank(chosen) ? words.enterRegion : undefined }),
    run: ({ region: chosen }) => berth.terminals.move(id, { region: Number(chosen) }),
    done: () => words.begun(isolate(name)),
    touches: () => [keys.terminals.one(id), keys.terminals.lists, keys.tasks.ofTerminal(id)],
    onDone: onClose,
  });
  return (
    <DialogForm form={form} fields={['region']} verb={words.verb} onClose={onClose}>
      <ol className="list-decimal pl-5 text-ink-2">
        {words.steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <p className="text-ink-2">{words.notMoved}</p>
      <Select label={words.region} name="region" defaultValue="" required>
        <option value="" disabled>
          {words.choose}
        </option>
        {regions.map(({ id: each, label }) => (
          <option key={each} value={each}>
            {each === region ? words.same(label) : label}
          </option>
        ))}
      </Select>
    </DialogForm>
  );
};

/** To another host; what stands in the way is said by the server. */
export const Move = ({ terminal }: { terminal: Terminal }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <Card title={words.title} className="form-card">
      <p className="text-ink-2">{words.text}</p>
      <div>
        <Button whyNot={terminal.move ? words.isMoving : undefined} onClick={() => setOpen(true)}>
          {words.open}
        </Button>
      </div>
      <ItemDialog
        item={isOpen ? terminal : undefined}
        title={words.dialogTitle}
        lead={words.lead}
        onClose={() => setOpen(false)}
      >
        {(shown) => <MoveForm terminal={shown} onClose={() => setOpen(false)} />}
      </ItemDialog>
    </Card>
  );
};
