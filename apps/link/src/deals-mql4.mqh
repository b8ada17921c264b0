// MetaTrader 4 has no deals: its history lists closed orders, and only those that its window shows. None are published.

void LookAtHistory(string key) {}
void PublishDeals(AccountState &state, long sequence) {}
void ForgetHistory() {}
string HistoryMembers() { return Member("deals_total", "0") + Member("last_deal", "null"); }
