import type { AccountLogin } from './account-login.ts';
import type { Experts } from './experts.ts';
import type { Journal } from './journal.ts';
import type { MarketWatch } from './market-watch.ts';
import type { OptionsFile } from './options-file.ts';
import type { Platform } from './platform.ts';
import type { Profile } from './profile.ts';

/** What the screen shows and the keyboard reaches. */
export interface Desk {
  platform: Platform;
  journal: Journal;
  optionsFile: OptionsFile;
  marketWatch: MarketWatch;
  experts: Experts;
  profile: Profile;
  login: AccountLogin;
  /** The Open-an-Account wizard stands in front and takes all input but its own. */
  isWizardOpen: boolean;
}
