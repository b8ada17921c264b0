/** A first start that is ended by the signals that the quick tests leave out. */
import { testEndsWhenPrinted, testEndsWhileMade, useInstances } from './operator-password.ts';

useInstances();
testEndsWhileMade('SIGKILL');
testEndsWhenPrinted('SIGTERM');
