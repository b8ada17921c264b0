import type { Region } from '@berth/client';
import { toAddress } from '../../data/address.ts';

/** The flag comes from this server, by the file name in the region's own URL. */
const toFlag = ({ icon }: Region): string => toAddress(`/flags/${icon.split('/').at(-1) ?? ''}`);

export const Flag = ({ region }: { region: Region }) => <img className="flag" src={toFlag(region)} alt="" />;
