/** The protocol between agents and the server, and its limits. */
export * from './agent-limits.ts';
export * from './agent-protocol.ts';
export * from './agent-reports.ts';
export * from './hosts/facts.ts';
export * from './risk/host-schema.ts';
export * from './terminals/chart-schema.ts';
export * from './trading/account.ts';
