import type { AccountLogin } from './account/account-login.ts';
import type { Experts } from './charts/experts.ts';
import type { MarketWatch } from './charts/market-watch.ts';
import type { Profile } from './charts/profile.ts';
import type { Journal } from './journal.ts';
import type { OptionsFile } from './platform/options-file.ts';
import type { Platform } from './platform/platform.ts';

export interface Dialog {
  title: string;
  text: string;
}

/** What the screen shows and the keyboard reaches. */
export interface Workspace {
  platform: Platform;
  journal: Journal;
  optionsFile: OptionsFile;
  marketWatch: MarketWatch;
  experts: Experts;
  profile: Profile;
  login: AccountLogin;
  /** What stands in front and takes all input, but for what the wizard itself is for. */
  dialog: Dialog | undefined;
  /** The button of algo trading is pressed in vain. */
  isSwitchStuck: boolean;
}
