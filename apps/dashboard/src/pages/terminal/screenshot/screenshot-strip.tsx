import { toMoment } from '../../../parts/time.tsx';
import { useNow } from '../../../parts/clock.ts';
import { pageTexts } from '../../../texts/page-texts.ts';
import type { EarlierScreenshot } from '../terminal-data.ts';
import { toFileAddress } from '../../../data/address.ts';

const words = pageTexts.terminal.screenshot;

export interface ScreenshotStripProps {
  screenshots: readonly EarlierScreenshot[];
  shown: string | undefined;
  onShow: (fileId: string) => void;
}

/** Previous screenshots in a row, newest first; nothing where there is at most one. */
export const ScreenshotStrip = ({ screenshots, shown, onShow }: ScreenshotStripProps) => {
  const now = useNow(60_000);
  if (screenshots.length < 2) return null;
  return (
    <ul className="strip" aria-label={words.earlier}>
      {screenshots.map(({ fileId, takenAt, width, height }) => {
        const when = toMoment(Date.parse(takenAt), now);
        return (
          <li key={fileId}>
            <button
              type="button"
              aria-label={words.earlierOne(when)}
              aria-pressed={fileId === shown}
              title={when}
              onClick={() => onShow(fileId)}
            >
              <img src={toFileAddress(fileId)} alt="" loading="lazy" width={width} height={height} />
            </button>
          </li>
        );
      })}
    </ul>
  );
};
