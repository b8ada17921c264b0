/** A permanently lost key, which takes eight starts of a server to declare lost. */
import { testLostKeys } from './keys.ts';

testLostKeys();
