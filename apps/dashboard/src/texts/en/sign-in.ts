/** Signing in, and everything around it. */
export const signIn = {
  title: 'Sign in',
  email: 'E-mail',
  password: 'Password',
  name: 'Name',
  submit: 'Sign in',
  forgot: 'Forgot password?',
  create: 'Create account',
  toSignIn: 'Back to sign-in',
  closed: 'Need an account? Ask your administrator.',
  why: {
    expired: 'Your session has expired. Sign in to continue where you left off.',
    'signed-out': 'You have signed out.',
    reset: 'Your password was changed. Sign in with the new one.',
  },
  register: {
    title: 'Create account',
    passwordNote: 'At least 6 characters.',
    nameNote: 'At least 3 characters.',
  },
  forgotten: {
    title: 'Reset password',
    lead: 'We’ll e-mail you a code. It is valid for 15 minutes.',
    submit: 'Send code',
    sent: 'If there is an account with this address, we’ve sent it a code.',
    code: 'Code',
    newPassword: 'New password',
    repeat: 'Confirm new password',
    differ: 'The passwords don’t match.',
    set: 'Set new password',
  },
  link: {
    title: 'Signing in…',
    wait: 'This link works only once.',
    failed: 'Link expired or already used',
    toForm: 'Sign in with your password',
  },
};
