import { useEffect, useState } from 'react';
import { notify } from '../../../data/notices.ts';
import { pageTexts } from '../../../texts/page-texts.ts';

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;

/**
 * Accepts a file that is dropped anywhere on the page, so that the browser does not open it instead.
 * @returns whether one is being dragged over the page
 */
export const useFileDrop = (onFile: (file: File) => void): boolean => {
  const [isDragging, setDragging] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    const on = (name: 'dragover' | 'dragleave' | 'drop', take: (event: DragEvent) => void): void =>
      addEventListener(name, (event) => (hasFiles(event) ? take(event) : undefined), { signal: stop.signal });
    on('dragover', (event) => {
      event.preventDefault();
      setDragging(true);
    });
    on('dragleave', (event) => {
      // Only when leaving the window: moving between two parts of the page does not count.
      if (event.relatedTarget === null) setDragging(false);
    });
    on('drop', (event) => {
      event.preventDefault();
      setDragging(false);
      const [file, ...others] = event.dataTransfer?.files ?? [];
      if (!file || others.length > 0) notify({ kind: 'failed', text: pageTexts.terminalExperts.oneFile });
      else onFile(file);
    });
    return () => stop.abort();
  }, [onFile]);
  return isDragging;
};
