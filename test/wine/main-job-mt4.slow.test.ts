// @module-tag wine
/** The same main job on a Windows program under Wine that stands in for MetaTrader 4. */
import { testMainJob } from '../e2e/main-job.ts';
import { startStandInHost } from './support/stand-in-host.ts';

testMainJob('mt4', () => startStandInHost('mt4'));
