/** Servers that lack a key, and the rotation of one; the slow tests give one up. */
import { testKeys } from './keys.ts';

testKeys();
