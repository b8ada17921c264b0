/** The isolation of a box, for tests that attack it. Its launcher is tested separately. */
export { toBoxCommand, type BoxPlan } from '../../apps/agent/src/launchers/wine/isolation/box-command.ts';
export {
  toBoxFiles,
  writeBoxFiles,
  writeNetworkFiles,
  type BoxFiles,
} from '../../apps/agent/src/launchers/wine/isolation/box-files.ts';
export { describeIsolation } from '../../apps/agent/src/launchers/wine/isolation/capabilities.ts';
export type { ControlGroup } from '../../apps/agent/src/launchers/wine/isolation/control-group.ts';
export { findControlGroups } from '../../apps/agent/src/launchers/wine/isolation/control-groups.ts';
