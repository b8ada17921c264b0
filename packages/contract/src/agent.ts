/** What agents and the server say to each other, and the limits that both keep. */
export * from './agent-limits.ts';
export * from './agent-protocol.ts';
export * from './hosts/facts.ts';
export * from './terminals/chart-schema.ts';
