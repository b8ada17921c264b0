/** What hosts measure of their terminals, and how it is kept. */

/** A host measures each terminal so often. */
export const SAMPLE_MS = 15_000;
/** Of two samples of a terminal that come closer together than this, the server takes the first. */
export const MIN_SAMPLE_GAP_MS = 10_000;
/** Terminals of which one call may tell. */
export const MAX_SAMPLES = 2_000;
/** The highest number of a build that is believed. */
export const MAX_BUILD = 1_000_000;

/** How a terminal stands to its trading server. `stopped`: it was logged out, so that nothing is expected of it. */
export const linkStates = ['down', 'up', 'stopped'] as const;
export type LinkState = (typeof linkStates)[number];

/** Minutes that one row of samples stands for: each minute of the last day, each quarter of an hour of the last month. */
export const sampleSteps = [1, 15] as const;
export type SampleStep = (typeof sampleSteps)[number];

/** What stands in a row of samples, in this order. */
export const sampleColumns = ['at', 'ping_ms', 'link', 'memory_mb', 'cpu_percent', 'disk_mb'] as const;

/** Terminals whose last day one call shows. */
export const MAX_OVERVIEW_TERMINALS = 100;
