import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfinedFiles } from '@berth/kit';
import type { AccountExchange } from '../../src/platforms/driver.ts';

export const OWN = { login: '5001', server: 'Test-Demo' };

/** A position as link programs write it. */
export const toPosition = (ticket: string, changes: object = {}) => ({
  ...{ ticket, symbol: 'EURUSD', side: 'buy', volume: '0.10', open_price: '1.05006', price: '1.06000' },
  ...{ stop_loss: null, take_profit: '1.10000', swap: '-0.12', profit: '99.40', magic: '7', comment: '' },
  ...{ opened_at: '2026-06-10T12:00:00.000Z', ...changes },
});

export const toDeal = (ticket: number, changes: object = {}) => ({
  ...{ ticket: String(ticket), order: '2', position_id: '2', symbol: 'EURUSD', side: 'buy', entry: 'in' },
  ...{ volume: '0.10', price: '1.05006', commission: '-0.30', swap: '0.00', profit: '0.00', magic: '0', comment: '' },
  ...{ at: '2026-06-10T12:00:00.000Z', ...changes },
});

/** A state as link programs write it. */
export const toAccountFile = (changes: Record<string, unknown> = {}) => {
  const positions = (changes.positions ?? [toPosition('2')]) as unknown[];
  return {
    ...{ v: 1, program: '1.0.0', kind: 'service', sequence: 1, at: new Date().toISOString(), ...OWN, build: 5430 },
    ...{ is_synchronized: true, trading_allowed: true, currency: 'USD', currency_digits: 2, leverage: 100 },
    ...{ margin_mode: 'hedging', balance: '9999.70', credit: '0.00', equity: '10098.98', profit: '99.28' },
    ...{ margin: '105.01', free_margin: '9993.97', margin_level: '9617.16', positions_total: positions.length },
    ...{ orders_total: 0, positions, orders: [], deals_total: 2, last_deal: '3', ...changes },
  };
};

/** An exchange folder as a link program and other programs of a terminal write it. */
export class AccountFolder {
  readonly folder = mkdtempSync(join(tmpdir(), 'berth-account-'));
  readonly path = join(this.folder, 'MQL5/Files/Berth');
  own: { login: string; server: string | null } | null = OWN;

  constructor() {
    mkdirSync(this.path, { recursive: true });
  }

  get exchange(): AccountExchange {
    const files = new ConfinedFiles({ anchor: this.folder, home: this.folder, root: this.folder });
    return { files, folder: 'MQL5/Files/Berth', findAccount: () => this.own };
  }

  write(name: string, content: object | string): void {
    const path = join(this.path, name);
    writeFileSync(`${path}.tmp`, typeof content === 'string' ? content : JSON.stringify(content));
    renameSync(`${path}.tmp`, path);
  }

  close(): void {
    rmSync(this.folder, { recursive: true });
  }
}
