// @module-tag wine
/** A terminal without isolation whose agent, parts or host are killed, and agents that are killed at every moment of a start. */
import { describe } from 'vitest';
import { testFaults, testKilledStarts } from './support/launcher-faults.ts';

describe('with isolation none', () => testFaults('none'));
describe('in the middle of a start', () =>
  testKilledStarts('folder', 'keeper', 'screen', 'outside', 'inside', 'ready', 'program'));
