import type { Dialog, Workspace } from '../workspace.ts';
import type { DisplayReply, WindowCommands } from './display.ts';
import { takeScreenshot } from './screenshot.ts';

const blocked: DisplayReply = { ok: false, error: 'blocked' };

export const WIZARD: Dialog = {
  title: 'Open an Account',
  text: 'Select a company, or cancel to use an existing account.',
};

/** It may stay open although the start file has the account. */
export const LOGIN_DIALOG: Dialog = { title: 'Login', text: 'Authorization to the trading server.' };

/** What a person can do at the window of this terminal. */
export const createWindowCommands = (workspace: Workspace): WindowCommands => {
  const { optionsFile, journal, login } = workspace;
  return {
    screenshot: async (size, chart) => {
      const isKnown = chart === null || workspace.profile.charts.some(({ file }) => file === chart);
      if (!isKnown) return { ok: false, error: 'unknown_chart' };
      return { ok: true, png: await takeScreenshot(workspace, size, chart) };
    },
    openDemo: async (form) => {
      const result = await login.openDemo(form);
      if (typeof result === 'string') return { ok: false, error: result };
      workspace.dialog = undefined;
      return { ok: true, login: result.login, password: result.password };
    },
    setWebRequests: (urls) => {
      if (workspace.dialog) return blocked;
      optionsFile.setWebRequests(urls);
      return { ok: true };
    },
    listDialogs: () => ({ ok: true, dialogs: workspace.dialog ? [workspace.dialog] : [] }),
    listWebRequests: () => (workspace.dialog ? blocked : { ok: true, urls: optionsFile.listWebRequests() }),
    pressKeys: (keys) => {
      if (workspace.dialog) return blocked;
      if (keys !== 'ctrl+e') return { ok: false, error: 'unknown_keys' };
      if (workspace.isSwitchStuck) return { ok: true };
      const { settings } = optionsFile;
      settings.algoTrading = !settings.algoTrading;
      journal.print('Experts', `automated trading is ${settings.algoTrading ? 'enabled' : 'disabled'}`);
      return { ok: true };
    },
  };
};
