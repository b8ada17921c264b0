import type { Terminal } from '@berth/client';
import { Image, Maximize2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { useNow } from '../../../parts/clock.ts';
import { Time, toZoned } from '../../../parts/time.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { useAddress } from '../address.ts';
import { whyNotNow } from '../../../data/create-task.ts';
import { useScreenshots, type EarlierScreenshot } from '../terminal-data.ts';
import { ChartDialog } from './chart-dialog.tsx';
import { toFileAddress, toThumbAddress } from '../../../data/address.ts';
import { ZoomDialog } from './zoom-dialog.tsx';

const words = pageTexts.terminal.screenshot;

interface ShownScreenshotProps {
  terminalId: string;
  fileId: string;
  /** The thumbnail is available immediately; only the latest screenshot has one. */
  hasThumb: boolean;
  onZoom: () => void;
}

const ShownScreenshot = ({ terminalId, fileId, hasThumb, onZoom }: ShownScreenshotProps) => {
  const [state, setState] = useState<'reading' | 'shown' | 'lost'>('reading');
  if (state === 'lost') {
    return (
      <div className="hero-none">
        <Image aria-hidden="true" />
        <p>{words.lost}</p>
      </div>
    );
  }
  const thumb = toThumbAddress(terminalId, fileId);
  return (
    <button type="button" className="hero-screenshot" onClick={onZoom} title={words.zoom}>
      {hasThumb && state === 'reading' ? <img className="hero-thumb" src={thumb} alt="" /> : null}
      <img
        src={toFileAddress(fileId)}
        alt={words.title}
        data-state={state}
        onLoad={() => setState('shown')}
        onError={() => setState('lost')}
      />
      <span className="hero-zoom">
        <Maximize2 aria-hidden="true" />
        <span className="sr-only">{words.zoom}</span>
      </span>
    </button>
  );
};

const NoScreenshot = () => (
  <div className="hero-none">
    <Image aria-hidden="true" />
    <b>{words.none}</b>
    <p>{words.noneText}</p>
  </div>
);

interface ScreenshotStripProps {
  screenshots: readonly EarlierScreenshot[];
  shown: string | undefined;
  onShow: (fileId: string) => void;
}

/** Previous screenshots in a row, newest first; nothing where there is at most one. */
const ScreenshotStrip = ({ screenshots, shown, onShow }: ScreenshotStripProps) => {
  const now = useNow(60_000);
  if (screenshots.length < 2) return null;
  return (
    <ul className="strip" aria-label={words.earlier}>
      {screenshots.map(({ fileId, takenAt, width, height }) => {
        const at = Date.parse(takenAt);
        const when = toZoned(at, now);
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

/** The latest screenshot of the terminal, or a selected previous one. */
export const Hero = ({ terminal }: { terminal: Terminal }) => {
  const { search, change } = useAddress();
  const { data: screenshots = [] } = useScreenshots(terminal.id);
  const [dialog, setDialog] = useState<'zoom' | 'chart' | null>(null);
  const last = terminal.screenshot ?? undefined;
  const earlier = screenshots.find(({ fileId }) => fileId === search.screenshot);
  const fileId = earlier?.fileId ?? last?.file_id;
  const takenAt = earlier?.takenAt ?? last?.taken_at;
  const whyNot = whyNotNow(terminal, 'SCREENSHOT');
  return (
    <section className="card screen" aria-label={words.title}>
      <div className="hero">
        {fileId === undefined ? (
          <NoScreenshot />
        ) : (
          <ShownScreenshot
            key={fileId}
            terminalId={terminal.id}
            fileId={fileId}
            hasThumb={fileId === last?.file_id}
            onZoom={() => setDialog('zoom')}
          />
        )}
      </div>
      <footer>
        <Button whyNot={whyNot} onClick={() => setDialog('chart')}>
          {words.chartOpen}
        </Button>
        {earlier === undefined || earlier.fileId === last?.file_id ? null : (
          <Button kind="bare" onClick={() => change({ screenshot: undefined }, { replace: true })}>
            {words.last}
          </Button>
        )}
        {takenAt === undefined ? null : (
          <small>
            {words.taken} <Time at={takenAt} />
          </small>
        )}
      </footer>
      <ScreenshotStrip
        screenshots={screenshots}
        shown={fileId}
        // The strip may already know of a newer one than the terminal does.
        onShow={(file) => change({ screenshot: file === screenshots[0]?.fileId ? undefined : file }, { replace: true })}
      />
      {dialog === 'zoom' && fileId !== undefined ? (
        <ZoomDialog fileId={fileId} takenAt={takenAt} onClose={() => setDialog(null)} />
      ) : null}
      {dialog === 'chart' ? <ChartDialog terminal={terminal} onClose={() => setDialog(null)} /> : null}
    </section>
  );
};
