/** The pages for which nobody has to be signed in. */
import { lazy, type ComponentType } from 'react';
import type { OutsidePath } from '../../data/place.ts';
import { SignInLinkPage } from './sign-in-link-page.tsx';
import { SignInPage } from './sign-in-page.tsx';

/** What most people need once, if ever, is not among what everybody loads. */
const load = () => import('./new-account-pages.tsx');
const RegisterPage = lazy(async () => ({ default: (await load()).RegisterPage }));
const SetPasswordPage = lazy(async () => ({ default: (await load()).SetPasswordPage }));
const InvitationPage = lazy(async () => ({ default: (await load()).InvitationPage }));
const ForgottenPage = lazy(async () => ({ default: (await import('./forgotten-page.tsx')).ForgottenPage }));

const pages: Record<OutsidePath, ComponentType> = {
  '/sign-in': SignInPage,
  '/sign-in-link': SignInLinkPage,
  '/set-password': SetPasswordPage,
  '/accept-invitation': InvitationPage,
  '/create-account': RegisterPage,
  '/forgot-password': ForgottenPage,
};

export const OutsidePage = ({ path }: { path: OutsidePath }) => {
  const Page = pages[path];
  return <Page />;
};
