import type { TaskType } from '@berth/contract';
import { accountLogin } from './account-login.ts';
import { accountLogout } from './account-logout.ts';
import { accountOpenDemo } from './account-open-demo.ts';
import { accountServer } from './account-server.ts';
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

/** How each type of task is carried out on a MetaTrader terminal. */
export const taskHandlers: { readonly [Type in TaskType]: TaskHandler<Type> } = {
  0: terminalInstall,
  1: terminalDestroy,
  2: eaInstall,
  3: eaRemove,
  4: eaUpdate,
  5: eaLogs,
  6: screenshot,
  7: screenshotLatency,
  8: accountServer,
  9: accountLogin,
  10: accountLogout,
  11: accountOpenDemo,
  12: optionsAutoTrade,
  13: optionsWebRequest,
  14: marketWatchShowAll,
};
