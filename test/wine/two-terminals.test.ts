// @module-tag wine
/** Terminals beside each other on one host; the slow tests have twenty. */
import { testTerminals } from './support/terminals-of-a-host.ts';

testTerminals(2);
