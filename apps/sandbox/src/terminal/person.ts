import type { AccountLogin } from './account-login.ts';
import type { DisplayReply, Person } from './display.ts';
import type { Experts } from './experts.ts';
import type { Journal } from './journal.ts';
import type { MarketWatch } from './market-watch.ts';
import type { OptionsFile } from './options-file.ts';
import { takePicture } from './picture.ts';
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

const blocked: DisplayReply = { ok: false, error: 'blocked' };

/** The hands of a person at this terminal. */
export const createPerson = (desk: Desk): Person => {
  const { optionsFile, journal, login } = desk;
  return {
    screenshot: async (size, chart) => {
      const isKnown = chart === null || desk.profile.charts.some(({ file }) => file === chart);
      if (!isKnown) return { ok: false, error: 'unknown_chart' };
      return { ok: true, png: await takePicture(desk, size, chart) };
    },
    openDemo: async (form) => {
      const result = await login.openDemo(form);
      if (typeof result === 'string') return { ok: false, error: result };
      desk.isWizardOpen = false;
      return { ok: true, login: result.login, password: result.password };
    },
    setWebRequests: (urls) => {
      if (desk.isWizardOpen) return blocked;
      optionsFile.setWebRequests(urls);
      return { ok: true };
    },
    listWebRequests: () => (desk.isWizardOpen ? blocked : { ok: true, urls: optionsFile.listWebRequests() }),
    pressKeys: (keys) => {
      if (desk.isWizardOpen) return blocked;
      if (keys !== 'ctrl+e') return { ok: false, error: 'unknown_keys' };
      const { settings } = optionsFile;
      settings.algoTrading = !settings.algoTrading;
      journal.print('Experts', `automated trading is ${settings.algoTrading ? 'enabled' : 'disabled'}`);
      return { ok: true };
    },
  };
};
