import { securityNotificationTypes, type NotificationType } from '@berth/contract/values';
import type { NotificationSettings } from '@berth/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { berth } from '../../data/berth.ts';
import { useForm } from '../../data/form.ts';
import { keys } from '../../data/keys.ts';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';

const words = pageTexts.account.notifications.settings;
const types = Object.keys(words.kinds) as NotificationType[];

interface ChoiceProps {
  type: NotificationType;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}

const Choice = ({ type, isOn, onChange }: ChoiceProps) => {
  const isFixed = securityNotificationTypes.includes(type);
  return (
    <label className="choice">
      <input type="checkbox" checked={isOn} disabled={isFixed} onChange={({ target }) => onChange(target.checked)} />
      <span>
        {words.kinds[type]}
        {isFixed ? <small className="block">{words.fixed}</small> : null}
      </span>
    </label>
  );
};

const SettingsForm = ({ saved, onClose }: { saved: NotificationSettings['kinds']; onClose: () => void }) => {
  const [changed, setChanged] = useState<Partial<NotificationSettings['kinds']>>({});
  const form = useForm({
    check: () => ({}),
    run: () => berth.account.notifications.updateSettings({ kinds: changed }),
    done: () => words.saved,
    touches: () => [keys.notifications.settings],
    onDone: onClose,
  });
  return (
    <DialogForm form={form} toValues={() => undefined} verb={texts.save} onClose={onClose}>
      <fieldset className="grid gap-2 desk:grid-cols-2">
        <legend className="field-name mb-1">{words.legend}</legend>
        {types.map((type) => (
          <Choice
            key={type}
            type={type}
            isOn={changed[type] ?? saved[type]}
            onChange={(isOn) => setChanged({ ...changed, [type]: isOn })}
          />
        ))}
      </fieldset>
    </DialogForm>
  );
};

const Settings = ({ onClose }: { onClose: () => void }) => {
  const { data, error, refetch } = useQuery({
    queryKey: keys.notifications.settings,
    queryFn: ({ signal }) => berth.account.notifications.settings({ signal }),
  });
  if (data !== undefined) return <SettingsForm saved={data.kinds} onClose={onClose} />;
  return error === null ? (
    <Skeleton className="h-64 w-full" />
  ) : (
    <Failure error={error} onRetry={() => void refetch()} />
  );
};

/** Of what the user wants to be notified. */
export const NotificationSettingsDialog = ({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) => (
  <Dialog title={words.title} description={words.lead} isOpen={isOpen} onClose={onClose} size="wide" hasOwnActions>
    <Settings onClose={onClose} />
  </Dialog>
);
