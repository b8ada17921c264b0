/**
 * Things named in a request that do not exist for its caller. The texts are fixed; the hints say where valid ones are
 * found.
 */
import { toAttribute } from '@berth/contract';
import { ValidationError } from '../errors.ts';

const unknown = (field: string, hint: string): ValidationError =>
  ValidationError.of(field, `The selected ${toAttribute(field)} is invalid.`, hint);

export const unknownRegion = (): ValidationError =>
  unknown('region', 'GET /v1/my/trading/terminals/regions lists the regions.');

/** @param accepting regions that the caller may choose instead */
export const closedRegion = (accepting: readonly { region: number; label: string }[]): ValidationError => {
  const names = accepting.map(({ region, label }) => `${label} (${region})`);
  const hint = names.length > 0 ? `These accept terminals: ${names.join(', ')}.` : 'No region does; ask the operator.';
  return ValidationError.of('region', 'The region does not accept new terminals.', hint);
};

export const unknownProject = (field: 'project_id' | 'default_project_id'): ValidationError =>
  unknown(field, 'GET /v1/my/projects lists your projects.');

export const unknownFile = (): ValidationError =>
  unknown('payload.file_id', 'POST /v1/my/files takes a file and answers its id; GET /v1/my/files lists yours.');

export const unknownSnapshot = (): ValidationError =>
  unknown('snapshot_id', 'GET /v1/my/trading/terminals/{id}/snapshots lists those of a terminal.');

/** @param fault what is wrong with it, as the rest of a sentence about the file */
export const wrongFile = (fault: string): ValidationError =>
  ValidationError.of(
    'payload.file_id',
    `The file ${fault}`,
    'Give the compiled program of one platform to terminals of that platform: .ex5 to MetaTrader 5, .ex4 to MetaTrader 4.',
  );

/** @param offered by the hosts of the region */
export const unknownPlatform = (offered: readonly string[]): ValidationError =>
  unknown('platform', `Hosts of this region offer: ${offered.join(', ') || 'nothing yet'}.`);
