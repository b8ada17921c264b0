import type { Transport } from '../http/transport.ts';
import type { Changes } from '../waiting/changes.ts';

/** Methods that belong together: `berth.files`, `berth.tasks`. */
export abstract class Group {
  protected readonly transport: Transport;
  protected readonly changes: Changes;

  constructor(transport: Transport, changes: Changes) {
    this.transport = transport;
    this.changes = changes;
  }
}
