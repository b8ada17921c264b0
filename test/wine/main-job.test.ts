// @module-tag wine
/** The same main job as on the sandbox, on a Windows program under Wine that stands in for MetaTrader 5. */
import { testMainJob } from '../e2e/main-job.ts';
import { startStandInHost } from './support/stand-in-host.ts';

testMainJob('mt5', () => startStandInHost());
