// @module-tag wine
/** As many terminals as a host of this size takes, at once; their figures are those of docs/benchmarks.md. */
import { testTerminals } from './support/terminals-of-a-host.ts';

testTerminals(20);
