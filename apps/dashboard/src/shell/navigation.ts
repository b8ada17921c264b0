/**
 * The pages in the navigation, in order. A page is a folder of `pages/`, a line in `routes.tsx`, and, if it is in the
 * navigation, a line in this table.
 */
import {
  FolderKanban,
  LayoutDashboard,
  ListChecks,
  MonitorCog,
  MonitorDot,
  ScrollText,
  Server,
  ShieldAlert,
  Siren,
  UserRound,
  Users,
  type LucideIcon,
} from 'lucide-react';
import { pageTexts } from '../texts/page-texts.ts';

export interface NavigationPage {
  to:
    | '/terminals'
    | '/tasks'
    | '/alerts'
    | '/risk'
    | '/projects'
    | '/overview'
    | '/all-terminals'
    | '/users'
    | '/hosts'
    | '/audit-log'
    | '/account';
  name: string;
  icon: LucideIcon;
  /** Only operators see it. */
  isForOperators?: boolean;
  /** Of operators, who have more pages than the bar of narrow windows: there, its menu "More" leads to it. */
  isWide?: boolean;
}

const names = pageTexts.frame.pages;

export const navigation: readonly NavigationPage[] = [
  { to: '/terminals', name: names.terminals, icon: MonitorDot },
  { to: '/tasks', name: names.tasks, icon: ListChecks },
  { to: '/alerts', name: names.alerts, icon: Siren },
  { to: '/risk', name: names.risk, icon: ShieldAlert },
  { to: '/projects', name: names.projects, icon: FolderKanban },
  { to: '/overview', name: names.overview, icon: LayoutDashboard, isForOperators: true, isWide: true },
  { to: '/all-terminals', name: names.allTerminals, icon: MonitorCog, isForOperators: true, isWide: true },
  { to: '/users', name: names.users, icon: Users, isForOperators: true },
  { to: '/hosts', name: names.hosts, icon: Server, isForOperators: true },
  { to: '/audit-log', name: names.audit, icon: ScrollText, isForOperators: true, isWide: true },
  { to: '/account', name: names.account, icon: UserRound, isWide: true },
];
