import { Dialog } from '../parts/dialog.tsx';
import { pageTexts } from '../texts/page-texts.ts';

/** The keyboard shortcuts, and where to read more. */
export const KeysHelp = ({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) => (
  <Dialog title={pageTexts.frame.help} isOpen={isOpen} onClose={onClose}>
    <dl className="facts">
      {pageTexts.shortcuts.map(([key, meaning]) => (
        <div key={key} className="contents">
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
);
