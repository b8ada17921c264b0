import {
  MAX_DEALS,
  toDealAmount,
  type CarriedDeals,
  type Deal,
  type LedgerState,
  type LedgerTerms,
} from './ledger-data.ts';

export interface SavedLedger {
  state: LedgerState;
  deals: Deal[];
  carried: CarriedDeals;
}

const FIRST_TICKET = 1n;

/**
 * What an account's file holds, and the one way in which its balance and its credit change: a deal. So the balance is
 * always the sum of all deals, of which the first is the deposit.
 */
export class LedgerEntries {
  readonly terms: LedgerTerms;
  readonly state: LedgerState;
  readonly deals: Deal[];
  readonly carried: CarriedDeals;

  constructor(terms: LedgerTerms, saved?: SavedLedger) {
    this.terms = terms;
    this.state = saved?.state ?? {
      balance: 0n,
      credit: 0n,
      nextTicket: FIRST_TICKET,
      positions: [],
      orders: [],
      setBids: new Map(),
    };
    this.deals = saved?.deals ?? [];
    this.carried = saved?.carried ?? { count: 0, amount: 0n };
    if (!saved) this.addMoney('balance', terms.deposit, terms.createdAt);
  }

  get lastDeal(): Deal | undefined {
    return this.deals.at(-1);
  }

  takeTicket(): bigint {
    const ticket = this.state.nextTicket;
    this.state.nextTicket += 1n;
    return ticket;
  }

  /** Records a deal and what it does to the balance. Its time never precedes that of an earlier one. @returns its ticket */
  addDeal(deal: Omit<Deal, 'ticket'>): bigint {
    const ticket = this.takeTicket();
    const added = { ...deal, ticket, at: Math.max(deal.at, this.lastDeal?.at ?? 0) };
    this.deals.push(added);
    this.state.balance += toDealAmount(added);
    if (added.side === 'credit') this.state.credit += added.profit;
    if (this.deals.length > MAX_DEALS * 1.5) this.#carry(this.deals.splice(0, this.deals.length - MAX_DEALS));
    return ticket;
  }

  /** A deposit or a withdrawal, or credit that is given or taken back. @returns the ticket of its deal */
  addMoney(side: 'balance' | 'credit', amount: bigint, at: number): bigint {
    const nothing = { commission: 0n, fee: 0n, swap: 0n, volume: 0n, price: 0n, magic: '0', comment: '', outBy: null };
    const terms = { side, entry: 'in', symbol: '', order: 0n, positionId: 0n } as const;
    return this.addDeal({ ...nothing, ...terms, profit: amount, at });
  }

  #carry(old: readonly Deal[]): void {
    for (const deal of old) this.carried.amount += toDealAmount(deal);
    this.carried.count += old.length;
  }
}
