import type { StoredFile } from '@berth/client';
import { useQuery } from '@tanstack/react-query';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { toBytesText } from '../bytes.ts';
import { Select } from '../field.tsx';
import { useNow } from '../clock.ts';
import { toZoned } from '../time.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { toExperts } from './expert-choice.ts';

const words = pageTexts.terminalExperts.install;

/** The newest files that are looked through. */
const query = { per_page: 100 };

export interface UploadedExpertsProps {
  chosen: string | undefined;
  onChoose: (file: StoredFile | undefined) => void;
}

/** An expert that was uploaded before. Nothing is shown where there is none. */
export const UploadedExperts = ({ chosen, onChoose }: UploadedExpertsProps) => {
  const { data } = useQuery({
    queryKey: keys.account.files(query),
    queryFn: ({ signal }) => berth.files.page(query, { signal }),
  });
  const now = useNow(60_000);
  const experts = toExperts(data?.data ?? []);
  if (experts.length === 0) return null;
  return (
    <Select
      label={words.uploaded}
      value={chosen ?? ''}
      onChange={({ target: { value } }) => onChoose(experts.find(({ id }) => id === value))}
    >
      <option value="">{words.noneUploaded}</option>
      {experts.map(({ id, name, size, created_at: at }) => (
        <option key={id} value={id}>
          {words.uploadedOne(name, toBytesText(size), toZoned(Date.parse(at), now))}
        </option>
      ))}
    </Select>
  );
};
