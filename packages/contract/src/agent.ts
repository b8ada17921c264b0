/** The protocol between agents and the server, its errors and limits. */
export * from './agent-limits.ts';
export * from './agent-protocol.ts';
export * from './agent-reports.ts';
export * from './errors.ts';
export * from './hosts/facts.ts';
export * from './risk/evidence-schema.ts';
export * from './risk/host-schema.ts';
export * from './terminals/chart-schema.ts';
export * from './terminals/process-exit.ts';
export * from './trading/account.ts';
export * from './trading/switch-check.ts';
