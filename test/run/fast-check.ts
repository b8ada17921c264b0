/** Runs before each test file: what fast-check draws depends on `BERTH_TEST_SEED` alone. */
import fc from 'fast-check';
import { testSeed } from '../seed.ts';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: testSeed });
