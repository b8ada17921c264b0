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

/** The content of the screen, and what the keyboard reaches. */
export interface Workspace {
  platform: Platform;
  journal: Journal;
  optionsFile: OptionsFile;
  marketWatch: MarketWatch;
  experts: Experts;
  profile: Profile;
  login: AccountLogin;
  /** The dialog in front that takes all input, except what the wizard itself is for. */
  dialog: Dialog | undefined;
  /** Pressing the Algo Trading button has no effect. */
  isSwitchStuck: boolean;
}
