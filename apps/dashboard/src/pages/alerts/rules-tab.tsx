import type { AlertRule } from '@berth/client';
import { ListX } from 'lucide-react';
import { useState } from 'react';
import { useAction } from '../../data/action.ts';
import { useAlertChannels, useAlertRules } from '../../data/alerts.ts';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Sheet } from '../../parts/surfaces.tsx';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { RuleDialog } from './rule-form.tsx';
import { RuleTable } from './rule-table.tsx';

const words = pageTexts.alerts.rules;

const DeleteRule = ({ rule, onClose }: { rule: AlertRule | undefined; onClose: () => void }) => {
  const remove = useAction({
    run: ({ id }: AlertRule) => berth.alerts.rules.delete(id),
    done: (_nothing, { name }) => words.deleted(isolate(name)),
    touches: () => [keys.alerts.all],
    onDone: onClose,
  });
  return (
    <Dialog
      title={words.deleteTitle}
      description={words.deleteLead(isolate(rule?.name ?? ''))}
      isOpen={rule !== undefined}
      onClose={onClose}
      actions={
        <Button kind="destroy" isBusy={remove.isRunning} onClick={() => (rule ? remove.run(rule) : undefined)}>
          {words.delete}
        </Button>
      }
    />
  );
};

/** What is told, when, and where. */
export const RulesTab = () => {
  const { data, error, refetch } = useAlertRules();
  const { data: channels } = useAlertChannels();
  const [toEdit, setToEdit] = useState<AlertRule>();
  const [toDelete, setToDelete] = useState<AlertRule>();
  return (
    <>
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      {error !== null && data === undefined ? null : (
        <Sheet>
          {data?.length === 0 ? (
            <EmptyState icon={<ListX aria-hidden="true" />} title={words.none}>
              {words.noneText}
            </EmptyState>
          ) : (
            <RuleTable rules={data} channels={channels} onEdit={setToEdit} onDelete={setToDelete} />
          )}
        </Sheet>
      )}
      <RuleDialog rule={toEdit} isOpen={toEdit !== undefined} onClose={() => setToEdit(undefined)} />
      <DeleteRule rule={toDelete} onClose={() => setToDelete(undefined)} />
    </>
  );
};
