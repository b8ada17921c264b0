/** The operator's password: told before it counts, and made anew; the slow tests end the first start by the other signals. */
import { testEndsWhenPrinted, testEndsWhileMade, testPasswords, useInstances } from './operator-password.ts';

useInstances();
testEndsWhileMade('SIGTERM');
testEndsWhenPrinted('SIGKILL');
testPasswords();
