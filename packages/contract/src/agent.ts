/** What agents and the server say to each other, and the limits that both keep. */
export * from './agent-limits.ts';
export * from './agent-protocol.ts';
export type { HostBase, HostFacts, HostOffer } from './hosts/facts.ts';
