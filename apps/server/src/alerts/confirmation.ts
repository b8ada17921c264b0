/** The mail that asks the owner of an address whether Berth may write to it. Its reader knows nobody: nothing in it comes from a user but his address. */
import type { Mail } from '../mail/mailer.ts';

/** @param link agrees when it is opened and its button pressed */
export const toConfirmationMail = (to: string, account: string, link: string): Mail => ({
  to,
  subject: 'May Berth send alerts to this address?',
  text: [
    'Hello,',
    '',
    `the Berth account ${account} asks to send alerts about its trading terminals to this address.`,
    'If that is fine, open this link and press the button:',
    '',
    link,
    '',
    'If you do not know what this is about, ignore this mail: nothing will be sent.',
    '',
  ].join('\n'),
});
