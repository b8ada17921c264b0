import type { StorageUsage } from '@berth/client';
import { Meter } from '../../parts/meter.tsx';
import { toBytesText } from '../../parts/bytes.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { useUsage } from './account-data.ts';

const words = pageTexts.account.files;

type Kind = keyof StorageUsage['by'];
const kinds = Object.keys(words.kinds) as Kind[];

/** How much of its storage the account uses, and for what, the largest first. */
export const StorageMeter = () => {
  const { data } = useUsage();
  if (data === undefined) return null;
  const { used_bytes: used, quota_bytes: quota, by } = data;
  const text = words.used(toBytesText(used), toBytesText(quota));
  const parts = kinds
    .filter((kind) => by[kind] > 0)
    .sort((one, other) => by[other] - by[one])
    .map((kind) => `${words.kinds[kind]} ${toBytesText(by[kind])}`);
  return (
    <div className="grid max-w-lg min-w-48 gap-1">
      <span className="figure text-ink-2">{text}</span>
      <Meter part={quota === 0 ? 1 : used / quota} label={`${words.usedLabel}: ${text}`} />
      <span className="text-sm text-ink-2">{parts.join(' · ')}</span>
    </div>
  );
};
