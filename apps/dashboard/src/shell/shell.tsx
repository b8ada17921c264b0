import { useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import {
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type ReactNode,
  type RefObject,
  Suspense,
} from 'react';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { useAction } from '../data/action.ts';
import { toAddress } from '../data/address.ts';
import { berth } from '../data/berth.ts';
import { isAsking, watchAsking } from '../data/confirmation.ts';
import { ensureLive, leaveEverywhere, stopLive } from '../data/live/live.ts';
import { useUser } from '../data/session.ts';
import { navigation } from './navigation.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { later, laterWhenOpen } from '../parts/later.tsx';
import { Mark } from '../parts/mark.tsx';
import { RunsRegion } from '../runs/runs-region.tsx';
import { setTheme, type ThemeChoice } from '../style/theme.ts';
import { pageTexts } from '../texts/page-texts.ts';
import { AlertCount, AlertCountInWords, useAlertsDescription } from './alert-count.tsx';
import { AwayBanner, LinkMark, useOutage } from './away-banner.tsx';
import { Bell } from './bell.tsx';
import { useCommands } from '../data/commands.ts';
import { useHelp } from './help.ts';
import type { MorePagesProps } from './more-pages.tsx';
import type { PaletteProps } from './palette.tsx';
import { StopAll } from './stop/stop-all.tsx';
import { StopBand } from './stop/stop-band.tsx';
import { ThemeSwitch, UserMenu } from './user-menu.tsx';

const KeysHelp = laterWhenOpen<{ isOpen: boolean; onClose: () => void }>(
  async () => (await import('./keys-help.tsx')).KeysHelp,
);
const MorePages = later<MorePagesProps>(async () => (await import('./more-pages.tsx')).MorePages);
const Palette = laterWhenOpen<PaletteProps>(async () => (await import('./palette.tsx')).Palette);

const PasswordDialog = laterWhenOpen<{ isOpen: boolean }>(
  async () => (await import('./password-dialog.tsx')).PasswordDialog,
);

const usePages = () => {
  const { is_operator: isOperator } = useUser();
  return useMemo(() => navigation.filter((page) => isOperator || !page.isForOperators), [isOperator]);
};

const useLive = (): void => {
  const client = useQueryClient();
  useLayoutEffect(() => {
    ensureLive(client);
    return stopLive;
  }, [client]);
};

const usePalette = () => {
  const [isOpen, setOpen] = useState(false);
  // At once: what is typed right after Ctrl+K must not be lost.
  useEffect(() => void Promise.all([Palette.preload(), Dialog.preload()]), []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey)
        return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return { isOpen, open: () => setOpen(true), close: () => setOpen(false) };
};

const themeChoices: readonly ThemeChoice[] = ['dark', 'light', 'system'];

const openDocs = (): void => void window.open(toAddress('/docs'), '_blank', 'noopener');

const useFrameCommands = (onSignOut: () => void, onHelp: () => void): void => {
  const pages = usePages();
  const navigate = useNavigate();
  const commands = useMemo(
    () => [
      ...pages.map(({ to, name }) => ({
        id: `go.${name}`,
        name: pageTexts.frame.goTo(name),
        run: () => void navigate({ to }),
      })),
      ...themeChoices.map((theme) => ({
        id: `theme.${theme}`,
        name: `${pageTexts.frame.theme}: ${pageTexts.frame.themes[theme]}`,
        words: pageTexts.frame.themeWords,
        run: () => setTheme(theme),
      })),
      ...pageTexts.frame.accountTabs.map(({ tab, name, words }) => ({
        id: `account.${tab}`,
        name,
        words,
        run: () => void navigate({ to: '/account', search: { tab } }),
      })),
      { id: 'docs', name: pageTexts.frame.documentation, words: pageTexts.frame.documentationWords, run: openDocs },
      { id: 'help', name: pageTexts.frame.help, words: pageTexts.frame.helpWords, keys: '?', run: onHelp },
      { id: 'sign-out', name: pageTexts.frame.signOut, words: pageTexts.frame.signOutWords, run: onSignOut },
    ],
    [pages, navigate, onSignOut, onHelp],
  );
  useCommands(commands);
};

const Rail = ({ onSearch, onSignOut }: { onSearch: () => void; onSignOut: () => void }) => {
  const user = useUser();
  const pages = usePages();
  const rest = user.is_operator ? pages.filter(({ isWide }) => isWide) : [];
  const alerts = useAlertsDescription();
  return (
    <header className="rail">
      <Mark />
      <nav aria-label={pageTexts.frame.main}>
        {pages.map((page) => (
          <Link
            key={page.to}
            to={page.to}
            className="rail-link"
            data-wide={rest.includes(page) || undefined}
            activeOptions={{ includeSearch: false }}
            {...(page.to === '/alerts' ? alerts : {})}
          >
            <page.icon aria-hidden="true" />
            {page.name}
            {page.to === '/alerts' ? <AlertCount /> : null}
          </Link>
        ))}
        {rest.length === 0 ? null : (
          <Suspense fallback={null}>
            <MorePages pages={rest} />
          </Suspense>
        )}
      </nav>
      <AlertCountInWords />
      <div className="rail-foot">
        <StopAll />
        <LinkMark />
        <div className="rail-tools">
          <Button
            kind="bare"
            icon={<Search />}
            aria-label={pageTexts.frame.palette}
            title="Ctrl+K"
            onClick={onSearch}
          />
          <Bell />
          <ThemeSwitch />
          <UserMenu user={user} onSignOut={onSignOut} />
        </div>
      </div>
    </header>
  );
};

/** Figures that may be outdated are marked while no changes are reported. */
const Main = ({ place, children }: { place: RefObject<HTMLElement | null>; children: ReactNode }) => (
  <main className="page" id="page" tabIndex={-1} ref={place} data-old={useOutage() === undefined ? undefined : ''}>
    {children}
  </main>
);

/** The frame of every page that requires a signed-in user. */
export const Shell = () => {
  useLive();
  const palette = usePalette();
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const { run: signOut } = useAction({ run: () => berth.auth.logout(), onDone: () => leaveEverywhere('signed-out') });
  const onSignOut = useMemo(() => () => signOut(undefined), [signOut]);
  const help = useHelp();
  useFrameCommands(onSignOut, help.open);
  const firstPath = useRef(path);
  useEffect(() => {
    // A screen reader and the keyboard continue in the new page; on the first one the browser's own focus is right.
    if (firstPath.current !== path) main.current?.focus({ preventScroll: true });
    firstPath.current = path;
  }, [path]);
  return (
    <CSPProvider disableStyleElements>
      <a className="skip" href="#page" onClick={(event) => [event.preventDefault(), main.current?.focus()]}>
        {pageTexts.frame.skip}
      </a>
      <div className="frame">
        <Rail onSearch={palette.open} onSignOut={onSignOut} />
        <AwayBanner />
        <Main place={main}>
          <StopBand />
          <RunsRegion />
          <Outlet />
        </Main>
      </div>
      <KeysHelp isOpen={help.isOpen} onClose={help.close} />
      <PasswordDialog isOpen={useSyncExternalStore(watchAsking, isAsking)} />
      <Palette isOpen={palette.isOpen} onClose={palette.close} />
    </CSPProvider>
  );
};
