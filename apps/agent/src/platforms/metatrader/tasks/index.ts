import type { TaskTypeName } from '@berth/contract/values';
import { accountLogin } from './account-login.ts';
import { accountLogout } from './account-logout.ts';
import { accountOpenDemo } from './account-open-demo.ts';
import { accountServer } from './account-server.ts';
import { closeAll } from './close-all.ts';
import { eaInstall } from './ea-install.ts';
import { eaLogs } from './ea-logs.ts';
import { eaRemove } from './ea-remove.ts';
import { eaUpdate } from './ea-update.ts';
import { marketWatchShowAll } from './market-watch-show-all.ts';
import { optionsAutoTrade } from './options-auto-trade.ts';
import { optionsWebRequest } from './options-web-request.ts';
import { screenshotLatency } from './screenshot-latency.ts';
import { screenshot } from './screenshot.ts';
import type { TaskHandler } from './task-run.ts';
import { terminalDestroy } from './terminal-destroy.ts';
import { terminalInstall } from './terminal-install.ts';
import { terminalRestart, terminalStart } from './terminal-start.ts';
import { terminalStop } from './terminal-stop.ts';

/** How each type of task is carried out on a MetaTrader terminal. */
export const taskHandlers: { readonly [Name in TaskTypeName]: TaskHandler<Name> } = {
  TERMINAL_INSTALL: terminalInstall,
  TERMINAL_DESTROY: terminalDestroy,
  EA_INSTALL: eaInstall,
  EA_REMOVE: eaRemove,
  EA_UPDATE: eaUpdate,
  EA_LOGS: eaLogs,
  SCREENSHOT: screenshot,
  SCREENSHOT_LATENCY: screenshotLatency,
  ACCOUNT_SERVER: accountServer,
  ACCOUNT_LOGIN: accountLogin,
  ACCOUNT_LOGOUT: accountLogout,
  ACCOUNT_OPEN_DEMO: accountOpenDemo,
  OPTIONS_AUTO_TRADE: optionsAutoTrade,
  OPTIONS_WEB_REQUEST: optionsWebRequest,
  MARKET_WATCH_SHOW_ALL: marketWatchShowAll,
  CLOSE_ALL: closeAll,
  TERMINAL_RESTART: terminalRestart,
  TERMINAL_STOP: terminalStop,
  TERMINAL_START: terminalStart,
};
