import type { AlertCondition, AlertRule, Terminal } from '@berth/client';
import { useNavigate } from '@tanstack/react-router';
import { BellPlus } from 'lucide-react';
import { useAction } from '../../../data/action.ts';
import { toUsualChannels, toUsualMinutes, useAlertRules } from '../../../data/alerts.ts';
import { berth } from '../../../data/berth.ts';
import { keys } from '../../../data/keys.ts';
import { Button } from '../../../parts/button.tsx';
import { Menu, MenuItem, MenuLine, MenuNote } from '../../../parts/menu.tsx';
import { isolate } from '../../../texts/isolate.ts';
import { pageTexts } from '../../../texts/page-texts.ts';

const words = pageTexts.alertMenu;
const conditions = ['terminal_down', 'login_failed', 'trading_off', 'expert_failed', 'task_failed'] as const;
const MAX_NAME = 100;

/** One rule is enough. */
const isSame = (rule: AlertRule, terminalId: string, when: AlertCondition): boolean =>
  rule.when === when && rule.enabled && rule.terminal_ids?.length === 1 && rule.terminal_ids[0] === terminalId;

const toName = (name: string, when: (typeof conditions)[number]): string => {
  const condition = words.items[when];
  const [line = ''] = name.split(/[\r\n]/);
  return words.ruleName(
    Array.from(line)
      .slice(0, MAX_NAME - condition.length - 2)
      .join(''),
    condition,
  );
};

const useCreateRule = ({ id, name }: Terminal) =>
  useAction({
    run: async (when: (typeof conditions)[number]) => {
      const channels = toUsualChannels(await berth.alerts.channels.list().toArray());
      const rule = await berth.alerts.rules.create({
        name: toName(name, when),
        when,
        for_minutes: toUsualMinutes(when),
        terminal_ids: [id],
        channel_ids: channels.map((channel) => channel.id),
      });
      return { rule, channels };
    },
    done: ({ rule, channels }) =>
      channels.length === 0
        ? words.createdHere(isolate(rule.name))
        : words.created(isolate(rule.name), channels.map((channel) => isolate(channel.name)).join(', ')),
    touches: () => [keys.alerts.all],
  });

/** Mounted when the menu opens, so that a page that is merely looked at asks for no rules. */
const Items = ({
  terminal,
  isBusy,
  onChoose,
}: {
  terminal: Terminal;
  isBusy: boolean;
  onChoose: (when: (typeof conditions)[number]) => void;
}) => {
  const { data: rules = [] } = useAlertRules();
  const navigate = useNavigate();
  return (
    <>
      <MenuNote>{words.lead}</MenuNote>
      {conditions.map((when) => (
        <MenuItem
          key={when}
          onSelect={() => onChoose(when)}
          isBusy={isBusy}
          whyNot={rules.some((rule) => isSame(rule, terminal.id, when)) ? words.exists : undefined}
        >
          {words.items[when]}
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem onSelect={() => void navigate({ to: '/alerts', search: { tab: 'rules' } })}>{words.toRules}</MenuItem>
    </>
  );
};

/** Makes a rule for this terminal, told by all channels: one click opens it, the second is the rule. */
export const AlertMenu = ({ terminal }: { terminal: Terminal }) => {
  const { run, isRunning } = useCreateRule(terminal);
  return (
    <Menu
      trigger={
        <Button icon={<BellPlus />} isBusy={isRunning}>
          {words.button}
        </Button>
      }
    >
      <Items terminal={terminal} isBusy={isRunning} onChoose={run} />
    </Menu>
  );
};
