import { berth } from '../../data/berth.ts';
import { useForm } from '../../data/form.ts';
import { keys } from '../../data/keys.ts';
import { serverNow } from '../../data/server-clock.ts';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Select } from '../../parts/field.tsx';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.webhook.resendFailed;
const HOUR_MS = 3_600_000;
const hours = { hour: 1, day: 24, week: 7 * 24, month: 30 * 24 } as const;
type Period = keyof typeof hours;
const periods = Object.keys(hours) as Period[];

interface ResendProps {
  webhookId: string;
  onClose: () => void;
}

const Form = ({ webhookId, onClose }: ResendProps) => {
  const form = useForm({
    check: () => ({}),
    run: ({ period }: Record<string, string>) =>
      berth.webhooks.resendFailed(webhookId, new Date(serverNow() - hours[period as Period] * HOUR_MS).toISOString()),
    done: ({ count }) => words.done(count),
    touches: () => [keys.webhooks.all],
    onDone: onClose,
  });
  return (
    <DialogForm form={form} verb={words.button} onClose={onClose}>
      <Select label={words.since} name="period" defaultValue="day">
        {periods.map((period) => (
          <option key={period} value={period}>
            {words.periods[period]}
          </option>
        ))}
      </Select>
    </DialogForm>
  );
};

/** Sends failed deliveries again. */
export const ResendFailed = ({ isOpen, ...props }: ResendProps & { isOpen: boolean }) => (
  <Dialog title={words.title} description={words.lead} isOpen={isOpen} onClose={props.onClose} hasOwnActions>
    <Form {...props} />
  </Dialog>
);
