import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState, type ReactNode } from 'react';
import { useAlertChannels, useAlertRules, useOpenCount } from '../../data/alerts.ts';
import { Button } from '../../parts/button.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Shape } from '../../parts/status-mark.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useCommands } from '../../data/commands.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { Plus } from 'lucide-react';
import { ChannelDialog } from './channel-form.tsx';
import { ChannelsTab } from './channels-tab.tsx';
import { OpenTab } from './open-tab.tsx';
import { ResolvedTab } from './resolved-tab.tsx';
import { RuleDialog } from './rule-form.tsx';
import { RulesTab } from './rules-tab.tsx';
import { alertTabs, type AlertTab } from './search.ts';

const words = pageTexts.alerts;

/** What stands behind the name of a tab: how many there are, and whether one needs somebody. */
const useTabNotes = (): Record<AlertTab, ReactNode> => {
  const open = useOpenCount();
  const { data: rules } = useAlertRules();
  const { data: channels } = useAlertChannels();
  const toFigure = (count: string | number | undefined) =>
    count === undefined || String(count) === '0' ? null : <span className="figure text-ink-3"> {count}</span>;
  return {
    open: toFigure(open),
    resolved: null,
    rules: toFigure(rules?.length),
    channels: (
      <>
        {toFigure(channels?.length)}
        {channels?.some(({ last_error: error }) => error !== null) ? (
          <>
            {' '}
            <Shape tone="bad" />
            <span className="sr-only">{words.someChannelFails}</span>
          </>
        ) : null}
      </>
    ),
  };
};

const TabLinks = ({ tab }: { tab: AlertTab }) => {
  const notes = useTabNotes();
  return (
    <Tabs label={words.tabsLabel}>
      {alertTabs.map((name) => (
        <Link
          key={name}
          to="/alerts"
          search={name === 'open' ? {} : { tab: name }}
          className="tab"
          activeOptions={{ exact: true }}
          aria-current={name === tab ? 'page' : undefined}
        >
          {words.tabs[name]}
          {notes[name]}
        </Link>
      ))}
    </Tabs>
  );
};

/** What is wrong at the moment, what was, and who is told. */
export const AlertsPage = () => {
  const { tab = 'open' } = useSearch({ from: '/in/alerts' });
  const navigate = useNavigate();
  const [creating, setCreating] = useState<'rule' | 'channel'>();
  const close = (): void => setCreating(undefined);
  const commands = useMemo(
    () => [
      { id: 'alerts.rule', name: words.rules.create, run: () => setCreating('rule') },
      { id: 'alerts.channel', name: words.channels.add, run: () => setCreating('channel') },
      ...alertTabs.map((name) => ({
        id: `alerts.${name}`,
        name: `${words.title}: ${words.tabs[name]}`,
        run: () => void navigate({ to: '/alerts', search: { tab: name } }),
      })),
    ],
    [navigate],
  );
  useCommands(commands);
  return (
    <>
      <PageHead
        title={words.title}
        tools={
          tab === 'channels' ? (
            <Button kind="primary" icon={<Plus />} onClick={() => setCreating('channel')}>
              {words.channels.add}
            </Button>
          ) : (
            <Button kind={tab === 'rules' ? 'primary' : 'quiet'} icon={<Plus />} onClick={() => setCreating('rule')}>
              {words.rules.create}
            </Button>
          )
        }
      />
      <TabLinks tab={tab} />
      <div className="pt-4">
        {tab === 'open' ? <OpenTab /> : null}
        {tab === 'resolved' ? <ResolvedTab /> : null}
        {tab === 'rules' ? <RulesTab /> : null}
        {tab === 'channels' ? <ChannelsTab /> : null}
      </div>
      <RuleDialog rule={undefined} isOpen={creating === 'rule'} onClose={close} />
      <ChannelDialog channel={undefined} isOpen={creating === 'channel'} onClose={close} />
    </>
  );
};
