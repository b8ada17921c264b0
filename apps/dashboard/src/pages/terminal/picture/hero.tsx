import { TaskType, type Terminal } from '@berth/client';
import { Image, Maximize2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Time } from '../../../parts/time.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { useAddress } from '../address.ts';
import { whyNotNow } from '../order.ts';
import { useOpenTasks, usePictures } from '../terminal-data.ts';
import { OneChartDialog } from './one-chart-dialog.tsx';
import { toFileAddress, toThumbAddress } from '../../../data/address.ts';
import { PictureStrip } from './picture-strip.tsx';
import { useTakePicture } from './take-picture.ts';
import { ZoomDialog } from './zoom-dialog.tsx';

const words = pageTexts.terminal.picture;

interface ShownPictureProps {
  terminalId: string;
  fileId: string;
  /** The small one is there at once; only the last picture has one. */
  hasThumb: boolean;
  onZoom: () => void;
}

const ShownPicture = ({ terminalId, fileId, hasThumb, onZoom }: ShownPictureProps) => {
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
    <button type="button" className="hero-picture" onClick={onZoom} title={words.zoom}>
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

const NoPicture = () => (
  <div className="hero-none">
    <Image aria-hidden="true" />
    <b>{words.none}</b>
    <p>{words.noneText}</p>
  </div>
);

/** The last picture of the terminal, or an earlier one that was chosen. */
export const Hero = ({ terminal }: { terminal: Terminal }) => {
  const { search, change } = useAddress();
  const { data: pictures = [] } = usePictures(terminal.id);
  const take = useTakePicture(terminal.id);
  const [dialog, setDialog] = useState<'zoom' | 'chart' | null>(null);
  const isTaking = useOpenTasks(terminal.id).some(({ type }) => type === TaskType.SCREENSHOT);
  const last = terminal.picture ?? undefined;
  const earlier = pictures.find(({ fileId }) => fileId === search.picture);
  const fileId = earlier?.fileId ?? last?.file_id;
  const takenAt = earlier?.takenAt ?? last?.taken_at;
  const whyNot = whyNotNow(terminal, 'SCREENSHOT');
  return (
    <section className="card screen" aria-label={words.title}>
      <div className="hero">
        {fileId === undefined ? (
          <NoPicture />
        ) : (
          <ShownPicture
            key={fileId}
            terminalId={terminal.id}
            fileId={fileId}
            hasThumb={fileId === last?.file_id}
            onZoom={() => setDialog('zoom')}
          />
        )}
      </div>
      <footer>
        <Button whyNot={whyNot} isBusy={take.isRunning || isTaking} onClick={() => take.run(undefined)}>
          {words.take}
        </Button>
        <Button whyNot={whyNot} onClick={() => setDialog('chart')}>
          {words.oneChart}
        </Button>
        {earlier === undefined || earlier.fileId === last?.file_id ? null : (
          <Button kind="bare" onClick={() => change({ picture: undefined }, { replace: true })}>
            {words.last}
          </Button>
        )}
        {takenAt === undefined ? null : (
          <small>
            {words.taken} <Time at={takenAt} />
          </small>
        )}
      </footer>
      <PictureStrip
        pictures={pictures}
        shown={fileId}
        // The strip may know of a newer one already than the terminal does.
        onShow={(file) => change({ picture: file === pictures[0]?.fileId ? undefined : file }, { replace: true })}
      />
      {dialog === 'zoom' && fileId !== undefined ? (
        <ZoomDialog fileId={fileId} takenAt={takenAt} onClose={() => setDialog(null)} />
      ) : null}
      {dialog === 'chart' ? <OneChartDialog terminal={terminal} onClose={() => setDialog(null)} /> : null}
    </section>
  );
};
