import type { AlertRule } from '@berth/client';
import { ListX } from 'lucide-react';
import { useState } from 'react';
import { useAsked } from '../../data/asked.ts';
import { useAlertChannels, useAlertRules } from '../../data/alerts.ts';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { Confirm } from '../../parts/item-dialog.tsx';
import { Listing } from '../../parts/listing.tsx';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { RuleDialog } from './rule-form.tsx';
import { RuleTable } from './rule-table.tsx';

const words = pageTexts.alerts.rules;

/** What is told, when, and where. */
export const RulesTab = () => {
  const rules = useAlertRules();
  const { data: channels } = useAlertChannels();
  const [toEdit, setToEdit] = useState<AlertRule>();
  const remove = useAsked({
    run: ({ id }: AlertRule) => berth.alerts.rules.delete(id),
    done: (_nothing, { name }) => words.deleted(isolate(name)),
    touches: () => [keys.alerts.all],
  });
  return (
    <>
      <Listing
        reading={rules}
        empty={{ icon: <ListX aria-hidden="true" />, title: words.none, children: words.noneText }}
      >
        <RuleTable rules={rules.data} channels={channels} onEdit={setToEdit} onDelete={remove.ask} />
      </Listing>
      <RuleDialog rule={toEdit} isOpen={toEdit !== undefined} onClose={() => setToEdit(undefined)} />
      <Confirm
        {...remove.dialog}
        title={words.deleteTitle}
        lead={({ name }) => words.deleteLead(isolate(name))}
        verb={words.delete}
      />
    </>
  );
};
