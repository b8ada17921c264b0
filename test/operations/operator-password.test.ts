/**
 * The operator's password: shown before it is valid, and renewed; the slow tests end the first start by the other
 * signals.
 */
import { testEndsWhenPrinted, testEndsWhileMade, testPasswords, useInstances } from './operator-password.ts';

useInstances();
testEndsWhileMade('SIGTERM');
testEndsWhenPrinted('SIGKILL');
testPasswords();
