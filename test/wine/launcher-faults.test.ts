// @module-tag wine
/** A box whose agent, parts or host are killed; the slow tests do the same without isolation, and at every moment of a start. */
import { describe } from 'vitest';
import { testFaults, testKilledStarts } from './support/launcher-faults.ts';

describe('with isolation full', () => testFaults('full'));
describe('in the middle of a start', () => testKilledStarts('keeper', 'inside'));
