/** A key that is lost for good, which takes eight starts of a server to give up. */
import { testLostKeys } from './keys.ts';

testLostKeys();
