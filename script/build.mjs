/** Bundles every program to apps/<name>/dist; the dashboard too, when it changed. */
import { build } from 'esbuild';
import { buildDashboard } from './build-dashboard.mjs';
import { listBundles, root } from './bundles.mjs';

for (const bundle of listBundles()) {
  try {
    await build(bundle);
  } catch {
    // esbuild has printed why.
    process.exitCode = 1;
  }
}

try {
  await buildDashboard(root);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
