export { ForgottenPage } from './forgotten-page.tsx';
export { RegisterPage } from './register-page.tsx';
export { SignInLinkPage } from './sign-in-link-page.tsx';
export { SignInPage } from './sign-in-page.tsx';
