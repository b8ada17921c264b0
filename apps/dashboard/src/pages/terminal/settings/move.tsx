import type { Region, Terminal, TerminalMove } from '@berth/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { berth } from '../../../data/berth.ts';
import { isBlank, useForm } from '../../../data/form.ts';
import { keys } from '../../../data/keys.ts';
import { useCapacities } from '../../../data/regions.ts';
import { useWhyNot } from '../../../data/session.ts';
import { Button } from '../../../parts/button.tsx';
import { Select } from '../../../parts/field.tsx';
import { DialogForm } from '../../../parts/dialog-form.tsx';
import { ItemDialog } from '../../../parts/item-dialog.tsx';
import { Card } from '../../../parts/surfaces.tsx';
import { isolate } from '../../../texts/isolate.ts';
import { pageTexts } from '../../../texts/page-texts.ts';

const words = pageTexts.terminalSettings.move;

/** For operators, who may say which host. */
const HostChoice = ({ region, current }: { region: number; current: string | null }) => {
  const { data: hosts = [] } = useQuery({
    queryKey: keys.hosts.list({ all: true }),
    queryFn: ({ signal }) => berth.operator.hosts.list({}, { signal }).toArray(),
  });
  const others = hosts.filter((host) => host.region === region && host.id !== current);
  return (
    <Select key={region} label={words.host} name="host_id" defaultValue="">
      <option value="">{words.anyHost}</option>
      {others.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Select>
  );
};

/** A region that has no free slot may have one in a moment; one that is closed is only offered when it is open again. */
const toChoice = ({ id, label, free_places: free, platforms, accepts_terminals: accepts }: Region, current: number) => {
  const name = id === current ? words.same(label) : label;
  if (accepts === false) return words.closed(name);
  if (platforms?.length === 0) return words.noHosts(name);
  return free === 0 ? words.noSlot(name) : name;
};

const MoveForm = ({ terminal, onClose }: { terminal: Terminal; onClose: () => void }) => {
  const { id, name, region, server_id: hostId } = terminal;
  const { data: regions = [] } = useCapacities();
  const [chosen, setChosen] = useState('');
  const choosesHost = useWhyNot('operator') === undefined;
  const form = useForm<Record<string, string>, TerminalMove>({
    check: ({ region: to }) => ({ region: isBlank(to) ? words.enterRegion : undefined }),
    run: ({ region: to, host_id: host }) =>
      berth.terminals.move(id, isBlank(host) ? { region: Number(to) } : { host_id: host! }),
    done: () => words.begun(isolate(name)),
    touches: () => [keys.terminals.one(id), keys.terminals.lists, keys.tasks.ofTerminal(id)],
    onDone: onClose,
  });
  return (
    <DialogForm form={form} fields={['region', 'host_id']} verb={words.verb} onClose={onClose}>
      <ol className="list-decimal pl-5 text-ink-2">
        {words.steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <p className="text-ink-2">{words.notMoved}</p>
      <Select
        label={words.region}
        name="region"
        required
        value={chosen}
        onChange={(event) => setChosen(event.target.value)}
      >
        <option value="" disabled>
          {words.choose}
        </option>
        {regions.map((each) => (
          <option key={each.id} value={each.id} disabled={each.accepts_terminals === false}>
            {toChoice(each, region)}
          </option>
        ))}
      </Select>
      {choosesHost && chosen !== '' ? <HostChoice region={Number(chosen)} current={hostId} /> : null}
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
