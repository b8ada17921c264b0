// Deals by the reader's cursor: deals-request.json says after which ticket, deals.json answers.

#define REQUEST_FILE "Berth\\deals-request.json"
#define DEALS_FILE "Berth\\deals.json"
#define MAX_REQUEST_BYTES 4096
#define MAX_DEALS 500
#define REQUEST_LOOK_MS 500
#define HISTORY_LOOK_MS 5000
// A deal may come a moment after the change of the position that it made: for so long it is looked for at each look.
#define DEAL_AWAITED_MS 3000
// The history of an old account is long: a look at it may take this share of the time.
#define HISTORY_REST 20
// Deposits and withdrawals that are told with the balance, and the newest deals among which they are looked for.
#define MAX_CASH_FLOWS 32
#define MAX_CASH_LOOKS 1000
// DEAL_REASON_CORPORATE_ACTION, by a name that older MetaEditors know, too.
#define REASON_CORPORATE_ACTION 10

// Of the whole history, as it was at the last look.
int deals_total = 0;
ulong last_deal = 0;
bool is_history_known = false;
ulong history_looked_ms = 0;
ulong history_took_ms = 0;
string history_key = "";
ulong traded_ms = 0;
string cash_flows = "";

string deals_request = "";
ulong request_looked_ms = 0;
int answered_total = -1;
string answered_request = "";

bool SelectHistory() { return HistorySelect(0, (datetime)((long)TimeGMT() + 30 * 86400)); }

// Deposits, withdrawals and bonuses, newest first: whoever watches a loss has to know that they are none.
string ListCashFlows(int total)
  {
   int digits = (int)AccountInfoInteger(ACCOUNT_CURRENCY_DIGITS);
   string list = "";
   int count = 0;
   for(int index = total - 1; index >= 0 && index >= total - MAX_CASH_LOOKS && count < MAX_CASH_FLOWS; index--)
     {
      ulong ticket = HistoryDealGetTicket(index);
      long type = HistoryDealGetInteger(ticket, DEAL_TYPE);
      if(ticket == 0 || (type != DEAL_TYPE_BALANCE && type != DEAL_TYPE_BONUS)) continue;
      string members = TicketMember("ticket", ticket);
      members += AmountMember("amount", HistoryDealGetDouble(ticket, DEAL_PROFIT), digits);
      list += ",{" + StringSubstr(members, 1) + "}";
      count++;
     }
   return StringSubstr(list, 1);
  }

// Counts the deals: after a trade, now and then, and never as its main work.
void LookAtHistory(string key)
  {
   ulong now = SteadyMs();
   if(key != history_key) traded_ms = now;
   history_key = key;
   bool is_awaited = now - traded_ms < DEAL_AWAITED_MS;
   bool is_due = !is_history_known || is_awaited || now - history_looked_ms >= HISTORY_LOOK_MS;
   if(!is_due || now - history_looked_ms < history_took_ms * HISTORY_REST) return;
   bool is_selected = SelectHistory();
   history_looked_ms = now;
   history_took_ms = SteadyMs() - now;
   if(!is_selected) return;
   int total = HistoryDealsTotal();
   ulong last = 0;
   // By time; tickets rise with it, but for deals that came in the same moment.
   for(int index = total - 1; index >= 0 && index >= total - 100; index--)
     {
      ulong ticket = HistoryDealGetTicket(index);
      if(ticket > last) last = ticket;
     }
   is_history_known = true;
   deals_total = total;
   last_deal = last;
   cash_flows = ListCashFlows(total);
  }

string SideOf(long type)
  {
   if(type == DEAL_TYPE_BUY) return "buy";
   if(type == DEAL_TYPE_SELL) return "sell";
   if(type == DEAL_TYPE_BALANCE) return "balance";
   return type == DEAL_TYPE_CREDIT ? "credit" : "other";
  }

string TypeOf(long type)
  {
   switch((int)type)
     {
      case DEAL_TYPE_BUY:
      case DEAL_TYPE_SELL: return "trade";
      case DEAL_TYPE_BALANCE: return "balance";
      case DEAL_TYPE_CREDIT: return "credit";
      case DEAL_TYPE_CHARGE: return "charge";
      case DEAL_TYPE_CORRECTION: return "correction";
      case DEAL_TYPE_BONUS: return "bonus";
      case DEAL_TYPE_COMMISSION:
      case DEAL_TYPE_COMMISSION_DAILY:
      case DEAL_TYPE_COMMISSION_MONTHLY:
      case DEAL_TYPE_COMMISSION_AGENT_DAILY:
      case DEAL_TYPE_COMMISSION_AGENT_MONTHLY: return "commission";
      case DEAL_TYPE_INTEREST: return "interest";
      case DEAL_TYPE_BUY_CANCELED:
      case DEAL_TYPE_SELL_CANCELED: return "canceled";
      case DEAL_DIVIDEND:
      case DEAL_DIVIDEND_FRANKED: return "dividend";
      case DEAL_TAX: return "tax";
     }
   return "other";
  }

// What closed a position; "" for what closed none, and for reasons of later builds.
string OutBy(ulong ticket)
  {
   if(HistoryDealGetInteger(ticket, DEAL_ENTRY) == DEAL_ENTRY_IN) return "";
   switch((int)HistoryDealGetInteger(ticket, DEAL_REASON))
     {
      case DEAL_REASON_CLIENT: return "client";
      case DEAL_REASON_MOBILE: return "mobile";
      case DEAL_REASON_WEB: return "web";
      case DEAL_REASON_EXPERT: return "expert";
      case DEAL_REASON_SL: return "stop_loss";
      case DEAL_REASON_TP: return "take_profit";
      case DEAL_REASON_SO: return "stop_out";
      case DEAL_REASON_ROLLOVER: return "rollover";
      case DEAL_REASON_VMARGIN: return "variation_margin";
      case DEAL_REASON_SPLIT: return "split";
      case REASON_CORPORATE_ACTION: return "corporate_action";
     }
   return "";
  }

string OutByMember(ulong ticket, long type)
  {
   string out_by = type == DEAL_TYPE_BUY || type == DEAL_TYPE_SELL ? OutBy(ticket) : "";
   return out_by == "" ? Member("out_by", "null") : TextMember("out_by", out_by);
  }

string EntryOf(long entry)
  {
   if(entry == DEAL_ENTRY_IN) return "in";
   return entry == DEAL_ENTRY_INOUT ? "inout" : "out";
  }

string DealMembers(ulong ticket, int currency_digits)
  {
   string symbol = HistoryDealGetString(ticket, DEAL_SYMBOL);
   long type = HistoryDealGetInteger(ticket, DEAL_TYPE);
   string to = TicketMember("ticket", ticket);
   to += TextMember("order", IntegerToString(HistoryDealGetInteger(ticket, DEAL_ORDER)));
   to += TextMember("position_id", IntegerToString(HistoryDealGetInteger(ticket, DEAL_POSITION_ID)));
   to += TextMember("symbol", symbol) + TextMember("side", SideOf(type));
   to += TextMember("type", TypeOf(type)) + OutByMember(ticket, type);
   to += TextMember("entry", EntryOf(HistoryDealGetInteger(ticket, DEAL_ENTRY)));
   to += TextMember("volume", VolumeText(HistoryDealGetDouble(ticket, DEAL_VOLUME)));
   to += AmountMember("price", HistoryDealGetDouble(ticket, DEAL_PRICE), SymbolDigits(symbol));
   to += AmountMember("commission", HistoryDealGetDouble(ticket, DEAL_COMMISSION), currency_digits);
   to += AmountMember("fee", HistoryDealGetDouble(ticket, DEAL_FEE), currency_digits);
   to += AmountMember("swap", HistoryDealGetDouble(ticket, DEAL_SWAP), currency_digits);
   to += AmountMember("profit", HistoryDealGetDouble(ticket, DEAL_PROFIT), currency_digits);
   to += TextMember("magic", IntegerToString(HistoryDealGetInteger(ticket, DEAL_MAGIC)));
   to += TextMember("comment", ShortComment(HistoryDealGetString(ticket, DEAL_COMMENT)));
   return to + TextMember("at", ToIsoTime(ToUtcMs(HistoryDealGetInteger(ticket, DEAL_TIME_MSC))));
  }

// The tickets behind the cursor, rising. They are not in the order of time alone, so all are looked at.
int ListTickets(ulong after, long from_ms, ulong &tickets[])
  {
   int total = HistoryDealsTotal();
   int count = 0;
   ArrayResize(tickets, total);
   for(int index = 0; index < total; index++)
     {
      ulong ticket = HistoryDealGetTicket(index);
      if(ticket == 0 || ticket <= after) continue;
      if(from_ms > 0 && ToUtcMs(HistoryDealGetInteger(ticket, DEAL_TIME_MSC)) < from_ms) continue;
      tickets[count] = ticket;
      count++;
     }
   ArrayResize(tickets, count);
   if(count > 1) ArraySort(tickets);
   return count;
  }

// Reads the request now and then. False where there is none, or it is not for this account.
bool ReadRequest(AccountState &state, JsonObject &request)
  {
   ulong now = SteadyMs();
   if(request_looked_ms == 0 || now - request_looked_ms >= REQUEST_LOOK_MS)
     {
      request_looked_ms = now;
      if(!ReadFile(REQUEST_FILE, MAX_REQUEST_BYTES, deals_request)) deals_request = "";
     }
   if(deals_request == "" || !ReadJson(deals_request, request)) return false;
   if(FindNumber(request, "v", 0) != 1 || ToTicket(FindText(request, "login")) != state.login) return false;
   return FindText(request, "server") == state.server;
  }

// Answers where the request, or the history since, is new. The account is synchronised.
void PublishDeals(AccountState &state, long sequence)
  {
   JsonObject request;
   if(!is_history_known || !ReadRequest(state, request)) return;
   string key = deals_request + " " + IntegerToString((long)last_deal);
   if(key == answered_request && deals_total == answered_total) return;
   if(!SelectHistory()) return;
   long looked_at = NowMs();
   ulong after = ToTicket(FindText(request, "after"));
   string from = FindText(request, "from");
   ulong tickets[];
   int total = HistoryDealsTotal();
   int found = ListTickets(after, from == "" ? 0 : FromIsoTime(from), tickets);
   int digits = (int)AccountInfoInteger(ACCOUNT_CURRENCY_DIGITS);
   JsonList list;
   BeginList(list, 900000);
   long until = looked_at;
   for(int index = 0; index < found && list.count < MAX_DEALS; index++)
     {
      int before = list.count;
      AddItem(list, DealMembers(tickets[index], digits));
      if(list.count == before) break;
      if(list.count < found) until = ToUtcMs(HistoryDealGetInteger(tickets[index], DEAL_TIME_MSC));
      else until = looked_at;
     }
   bool is_complete = list.count == found;
   string text = "{\"v\":1" + TicketMember("login", state.login) + TextMember("server", state.server);
   text += Member("sequence", IntegerToString(sequence)) + TicketMember("after", after);
   text += BoolMember("is_complete", is_complete) + TextMember("complete_until", ToIsoTime(until));
   text += Member("deals", "[" + list.text + "]") + "}";
   if(!ReplaceFile(DEALS_FILE, text)) return;
   answered_request = key;
   answered_total = total;
  }

string HistoryMembers()
  {
   string to = Member("deals_total", IntegerToString(deals_total)) + TicketMember("last_deal", last_deal);
   if(!is_history_known) return to + Member("cash", "null");
   string cash = TicketMember("until", last_deal) + Member("flows", "[" + cash_flows + "]");
   return to + Member("cash", "{" + StringSubstr(cash, 1) + "}");
  }

// Another account has another history.
void ForgetHistory()
  {
   is_history_known = false;
   deals_total = 0;
   last_deal = 0;
   cash_flows = "";
   answered_request = "";
   answered_total = -1;
  }
