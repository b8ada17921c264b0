/**
 * A host's disk under the real journal. What `datasync` confirmed survives a power cut; of the rest any part may be left,
 * torn anywhere. A killed process leaves everything that it wrote. Replacing a file is atomic (what makes it so on a real
 * disk is `replaceAndOpenFile`, which other tests look at).
 */
import type { AppendableFile, DurableFiles } from '@berth/testing/simulation';
import type { Random } from '../random.ts';
import type { VirtualProcess } from './virtual-process.ts';

/** Defects that a test plants. */
export type DiskDefect = 'datasync does nothing' | 'appends are forgotten';

interface Inode {
  written: string;
  durable: string;
}

const refuse = (code: string): never => {
  throw Object.assign(new Error(`the disk refuses: ${code}`), { code });
};

export class VirtualDisk {
  isFull = false;
  refusesSync = false;
  refusesTruncate = false;
  /** How often a sync takes noticeable time. */
  slowSyncs = 0;
  /** Whether it ever refused something: then an end may have been reported that is not in the journal. */
  hasRefused = false;
  /** Whether something was damaged that had been confirmed: then the journal may have forgotten anything. */
  isDamaged = false;
  #file: Inode = { written: '', durable: '' };
  readonly #random: Random;
  readonly #defect: DiskDefect | undefined;

  constructor(random: Random, defect?: DiskDefect) {
    this.#random = random;
    this.#defect = defect;
  }

  /** The disk as this process sees it. */
  mountFor(process: VirtualProcess): DurableFiles {
    return {
      read: async () => this.#file.written,
      replaceAndOpen: async (_path, content) => {
        this.#refuseIfBroken();
        this.#file = { written: content, durable: content };
        return this.#open(this.#file, process);
      },
    };
  }

  #refuseIfBroken(): void {
    if (!this.isFull && !this.refusesSync) return;
    this.hasRefused = true;
    refuse(this.isFull ? 'ENOSPC' : 'EIO');
  }

  #open(file: Inode, process: VirtualProcess): AppendableFile {
    return {
      appendFile: async (text) => {
        const fitting = this.isFull ? this.#random.int(0, text.length - 1) : text.length;
        if (this.#defect !== 'appends are forgotten') file.written += text.slice(0, fitting);
        if (this.isFull) this.#refuseIfBroken();
      },
      datasync: async () => {
        if (this.slowSyncs > 0 && this.#random.chance(this.slowSyncs))
          await process.timing.sleep(this.#random.int(1, 400));
        if (this.refusesSync) this.#refuseIfBroken();
        if (this.#defect !== 'datasync does nothing') file.durable = file.written;
      },
      truncate: async (size) => {
        if (this.refusesTruncate) refuse('EIO');
        file.written = file.written.slice(0, size);
      },
      close: async () => undefined,
    };
  }

  /** The power goes: of what was not confirmed, any beginning is left, its last characters perhaps as rubbish. */
  loseUnsynced(): void {
    const { written, durable } = this.#file;
    const isAppended = written.startsWith(durable);
    const tail = isAppended ? written.slice(durable.length) : '';
    const kept = tail.slice(0, this.#random.int(0, tail.length));
    const rubbish = kept !== '' && this.#random.chance(0.3) ? '\u0000'.repeat(Math.min(kept.length, 8)) : '';
    const whole = durable + kept.slice(0, kept.length - rubbish.length) + rubbish;
    this.#file = { written: whole, durable: whole };
  }

  /** One character that had been confirmed changes, or the end of the file is gone. */
  damage(): void {
    this.isDamaged = true;
    const { durable } = this.#file;
    const place = this.#random.int(0, Math.max(0, durable.length - 1));
    const rest = this.#random.chance(0.5) ? '' : `~${durable.slice(place + 1)}`;
    this.#file = { written: durable.slice(0, place) + rest, durable: durable.slice(0, place) + rest };
  }

  /** What a copy of the host's folder holds. */
  copy(): VirtualDisk {
    const copy = new VirtualDisk(this.#random, this.#defect);
    copy.#file = { ...this.#file };
    copy.isDamaged = this.isDamaged;
    copy.hasRefused = this.hasRefused;
    return copy;
  }

  mend(): void {
    this.isFull = this.refusesSync = this.refusesTruncate = false;
    this.slowSyncs = 0;
  }
}
