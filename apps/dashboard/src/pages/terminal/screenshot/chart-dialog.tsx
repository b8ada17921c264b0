import type { Terminal } from '@berth/client';
import { useState } from 'react';
import { Check } from '../../../parts/check.tsx';
import { Dialog, FormFoot } from '../../../parts/dialog.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { Field, Select } from '../../../parts/field.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { isWholeOrEmpty, useCheckedForm } from '../../../data/checked-form.ts';
import { toFormError, useCreateTask } from '../../../data/create-task.ts';
import { useCharts } from '../terminal-data.ts';

const words = pageTexts.terminal.screenshot;
const limits = { width: [320, 3840], height: [240, 2160], samples: [1, 20] } as const;
const FIELDS = ['chart_id', 'width', 'height', 'samples'];

const toNumber = (text: string): number | undefined => (text.trim() === '' ? undefined : Number(text));

/** A screenshot of one chart or of the whole window, at a chosen size, optionally with the latency. */
export const ChartDialog = ({ terminal, onClose }: { terminal: Terminal; onClose: () => void }) => {
  const { data: charts } = useCharts(terminal.id);
  const [chart, setChart] = useState<string>();
  const [size, setSize] = useState({ width: '1280', height: '800' });
  const [samples, setSamples] = useState<string | null>(null);
  const create = useCreateTask(terminal.id, { isForm: true, onDone: onClose });
  const chosen = chart ?? charts?.data[0]?.chart_id ?? '';
  const send = (): void => {
    const [width, height] = [toNumber(size.width), toNumber(size.height)];
    const payload = {
      ...(chosen === '' ? {} : { chart_id: chosen }),
      ...(width === undefined ? {} : { width }),
      ...(height === undefined ? {} : { height }),
    };
    if (samples === null) create.run({ type: 'SCREENSHOT', payload });
    else create.run({ type: 'SCREENSHOT_LATENCY', payload: { ...payload, samples: toNumber(samples) ?? 1 } });
  };
  const given = { ...size, samples: samples ?? '' };
  const wrong = (['width', 'height', 'samples'] as const).filter((name) => !isWholeOrEmpty(given[name], limits[name]));
  const { form, submit, toError } = useCheckedForm({ wrong, error: create.error, sentences: words.wrong, send });
  const failure = toFormError(create.error, FIELDS);
  return (
    <Dialog title={words.chartTitle} description={words.chartText} isOpen onClose={onClose} hasOwnActions>
      <form className="grid gap-4" onSubmit={submit} ref={form} noValidate>
        {failure === null ? null : <Failure error={failure} />}
        <Select
          label={words.chart}
          value={chosen}
          error={toError('chart_id')}
          onChange={(event) => setChart(event.target.value)}
        >
          {charts?.data.map(({ chart_id: id, symbol, period, expert }) => (
            <option key={id} value={id}>
              {[symbol, period, expert?.name].filter(Boolean).join(' · ')}
            </option>
          ))}
          <option value="">{words.wholeWindow}</option>
        </Select>
        <div className="grid grid-cols-2 items-start gap-3">
          {(['width', 'height'] as const).map((side) => (
            <Field
              key={side}
              label={words[side]}
              inputMode="numeric"
              value={size[side]}
              error={toError(side)}
              onChange={(event) => setSize({ ...size, [side]: event.target.value })}
            />
          ))}
        </div>
        <Check label={words.latency} isOn={samples !== null} onChange={(isOn) => setSamples(isOn ? '5' : null)} />
        {samples === null ? null : (
          <Field
            label={words.samples}
            inputMode="numeric"
            value={samples}
            error={toError('samples')}
            onChange={(event) => setSamples(event.target.value)}
          />
        )}
        <FormFoot onClose={onClose} isBusy={create.isRunning}>
          {words.take}
        </FormFoot>
      </form>
    </Dialog>
  );
};
