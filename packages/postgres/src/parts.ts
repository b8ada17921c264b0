/** Parts of an embedded PostgreSQL, for tests that run several clusters side by side or inspect a process. */
export { ensureAccount } from './account.ts';
export { ensureBinaries, getPostgresPackage } from './binaries.ts';
export { ensureCluster } from './cluster.ts';
export { ensureLayout, removeLayout } from './layout.ts';
export { startPostmaster, toUrl, type Postmaster } from './postmaster.ts';
