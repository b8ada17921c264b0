/**
 * The pages in the navigation, in order. A page is a folder here, a line in `routes.tsx`, and, if it is in the
 * navigation, a line in this table.
 */
import { FolderKanban, ListChecks, MonitorDot, Server, UserRound, type LucideIcon } from 'lucide-react';
import { texts } from '../texts/texts.ts';

export interface NavigationPage {
  to: '/terminals' | '/tasks' | '/projects' | '/hosts' | '/account';
  name: string;
  icon: LucideIcon;
  /** Only operators see it. */
  isForOperators?: boolean;
}

const names = texts.frame.pages;

export const navigation: readonly NavigationPage[] = [
  { to: '/terminals', name: names.terminals, icon: MonitorDot },
  { to: '/tasks', name: names.tasks, icon: ListChecks },
  { to: '/projects', name: names.projects, icon: FolderKanban },
  { to: '/hosts', name: names.hosts, icon: Server, isForOperators: true },
  { to: '/account', name: names.account, icon: UserRound },
];
