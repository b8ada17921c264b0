/** Measurements of terminals by their hosts, and how they are stored. */

/** How often a host measures each terminal. */
export const SAMPLE_MS = 15_000;
/** Of two samples of a terminal with a shorter interval, the server accepts the first. */
export const MIN_SAMPLE_GAP_MS = 10_000;
/** Terminals that one call may report. */
export const MAX_SAMPLES = 2_000;
/** Build numbers above this are not believed. */
export const MAX_BUILD = 1_000_000;

/** A terminal's connection to its trading server. `stopped`: it was logged out, so that nothing is expected of it. */
export const linkStates = ['down', 'up', 'stopped'] as const;
export type LinkState = (typeof linkStates)[number];

/** Minutes per row of samples: each minute of the last day, each quarter of an hour of the last month. */
export const sampleSteps = [1, 15] as const;
export type SampleStep = (typeof sampleSteps)[number];

/** The columns of a row of samples, in this order. */
export const sampleColumns = ['at', 'ping_ms', 'link', 'memory_mb', 'cpu_percent', 'disk_mb'] as const;

/** Terminals that one overview call covers. */
export const MAX_OVERVIEW_TERMINALS = 100;
