import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, type ComponentType } from 'react';
import { PageHead } from '../../parts/page-head.tsx';
import { Card } from '../../parts/surfaces.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useCommands } from '../../data/commands.ts';
import { setTheme, useTheme, type ThemeChoice } from '../../style/theme.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { AuditTab } from './audit-tab.tsx';
import { ExpertsTab } from './experts-tab.tsx';
import { FilesTab } from './files-tab.tsx';
import { NotificationsTab } from './notifications-tab.tsx';
import { PasswordTab } from './password-tab.tsx';
import { ProfileTab } from './profile-tab.tsx';
import { accountTabs, type AccountTab } from './search.ts';
import { SessionsTab } from './sessions-tab.tsx';
import { TokensTab } from './tokens/tokens-tab.tsx';
import { WebhooksTab } from './webhooks/webhooks-tab.tsx';

const words = pageTexts.account;

const appearance = pageTexts.account.appearance;
const choices: readonly ThemeChoice[] = ['dark', 'light', 'system'];

/** Light, dark or the system's theme, for this browser. */
const AppearanceTab = () => {
  const theme = useTheme();
  return (
    <Card className="max-w-[560px]">
      <p className="mb-3 text-ink-2">{appearance.lead}</p>
      <fieldset className="grid gap-2">
        <legend className="field-name mb-2">{appearance.legend}</legend>
        {choices.map((choice) => (
          <label key={choice} className="choice">
            <input type="radio" name="theme" checked={choice === theme} onChange={() => setTheme(choice)} />
            <span>
              {pageTexts.frame.themes[choice]}
              {choice === 'system' ? <small className="block">{appearance.systemNote}</small> : null}
            </span>
          </label>
        ))}
      </fieldset>
    </Card>
  );
};

const contents: Record<AccountTab, ComponentType> = {
  profile: ProfileTab,
  notifications: NotificationsTab,
  tokens: TokensTab,
  webhooks: WebhooksTab,
  sessions: SessionsTab,
  files: FilesTab,
  experts: ExpertsTab,
  password: PasswordTab,
  appearance: AppearanceTab,
  audit: AuditTab,
};

const useTabCommands = (): void => {
  const navigate = useNavigate();
  const commands = useMemo(
    () =>
      accountTabs.map((tab) => ({
        id: `account.${tab}`,
        name: `${words.title}: ${words.tabs[tab]}`,
        run: () => void navigate({ to: '/account', search: { tab } }),
      })),
    [navigate],
  );
  useCommands(commands);
};

export const AccountPage = () => {
  const { tab = 'profile' } = useSearch({ from: '/in/account' });
  useTabCommands();
  const Content = contents[tab];
  return (
    <>
      <PageHead title={words.title} />
      <Tabs label={words.tabsLabel}>
        {accountTabs.map((name) => (
          <Link
            key={name}
            to="/account"
            search={name === 'profile' ? {} : { tab: name }}
            className="tab"
            activeOptions={{ exact: true }}
            aria-current={name === tab ? 'page' : undefined}
          >
            {words.tabs[name]}
          </Link>
        ))}
      </Tabs>
      <div className="pt-4">
        <Content key={tab} />
      </div>
    </>
  );
};
