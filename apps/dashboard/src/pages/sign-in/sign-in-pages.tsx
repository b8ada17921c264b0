/** The pages for which nobody has to be signed in. */
import type { ComponentType } from 'react';
import type { OutsidePath } from '../../data/place.ts';
import { ForgottenPage } from './forgotten-page.tsx';
import { RegisterPage } from './register-page.tsx';
import { SetPasswordPage } from './set-password-page.tsx';
import { SignInLinkPage } from './sign-in-link-page.tsx';
import { SignInPage } from './sign-in-page.tsx';

const pages: Record<OutsidePath, ComponentType> = {
  '/sign-in': SignInPage,
  '/sign-in-link': SignInLinkPage,
  '/set-password': SetPasswordPage,
  '/create-account': RegisterPage,
  '/forgot-password': ForgottenPage,
};

export const OutsidePage = ({ path }: { path: OutsidePath }) => {
  const Page = pages[path];
  return <Page />;
};
