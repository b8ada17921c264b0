/** Signing in, and everything around it. */
export const signIn = {
  title: 'Sign in',
  email: 'E-mail',
  password: 'Password',
  name: 'Name',
  enterEmail: 'Enter your e-mail address, such as ada@example.com.',
  enterPassword: 'Enter your password.',
  enterName: 'Enter a name of at least 3 characters.',
  /** Which of the two is not said. */
  wrong: 'The e-mail address or the password is wrong.',
  tooShort: 'Use at least 6 characters.',
  /** How good a new password is. */
  strength: {
    common: 'Weak: among the most used',
    short: 'Weak: too short',
    weak: 'Weak: easy to guess',
    fair: 'Fair: longer is better',
    strong: 'Strong',
  },
  submit: 'Sign in',
  forgot: 'Forgot password?',
  create: 'Create account',
  toSignIn: 'Back to sign-in',
  closed: 'Need an account? Ask your administrator.',
  why: {
    expired: 'Your session has expired. Sign in to continue where you left off.',
    suspended: 'This account is suspended. Ask your administrator, or sign in with another account.',
    'signed-out': 'You have signed out.',
    reset: 'Your password was changed. Sign in with the new one.',
  },
  register: {
    title: 'Create account',
    passwordNote: 'At least 6 characters, and not a common password.',
    nameNote: 'At least 3 characters.',
  },
  forgotten: {
    title: 'Reset password',
    lead: 'We’ll e-mail you a code. It is valid for 15 minutes.',
    submit: 'Send code',
    sent: 'If there is an account with this address, we’ve sent it a code.',
    notMailed: 'This server sends no e-mail. Your administrator finds the code, valid for 15 minutes, on the server.',
    code: 'Code',
    newPassword: 'New password',
    repeat: 'Confirm new password',
    enterCode: 'Enter the code.',
    differ: 'The passwords don’t match.',
    set: 'Set new password',
  },
  /** Behind a link that an operator has sent. */
  setPassword: {
    title: 'Set password',
    password: 'Password',
    submit: 'Set password',
    openAgain: 'Open the link once more, or ask your administrator for another one.',
  },
  invitation: {
    title: 'Create your account',
    emailNote: 'Leave it empty to use the address that was invited.',
    openAgain: 'Open the link once more, or ask whoever invited you for another one.',
  },
  link: {
    title: 'Signing in…',
    wait: 'This link works only once.',
    failed: 'Link expired or already used',
    toForm: 'Sign in with your password',
  },
};
