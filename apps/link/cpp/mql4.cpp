#include "mql4.hpp"

namespace {

/** The selected order. */
Value order;

const std::vector<Value> &positions() { return seenAccount()["positions"].items; }
const std::vector<Value> &pending() { return seenAccount()["orders"].items; }
double amount(const char *name) { return seenAccount()[name].asNumber(); }

bool selectTicket(const std::vector<Value> &list, int ticket) {
  for (const Value &each : list) {
    if (each["ticket"].asInteger() != ticket) continue;
    order = each;
    return true;
  }
  return false;
}

/** The broker's codes are those of MQL5; MetaTrader 4 has errors. */
int toError(long long retcode) {
  switch (retcode) {
    case 10004: return 138;
    case 10014: return 131;
    case 10017: return 133;
    case 10018: return 132;
    case 10019: return 134;
    case 10020: return 135;
    case 10021: return 136;
    case 10024: return 141;
    case 10026: return 133;
    case 10027: return 4109;
    case 10031: return 6;
    case 10035:
    case 10036: return 4108;
    case 10045: return 150;
    default: return 128;
  }
}

bool trade(const std::string &request) {
  long long retcode = findRefusal();
  if (retcode == 0) retcode = askTrade(request)["retcode"].asInteger();
  if (retcode != 10009) setLastError(toError(retcode));
  return retcode == 10009;
}

} // namespace

int AccountNumber() { return static_cast<int>(seenAccount()["login"].asInteger()); }
string AccountServer() { return seenAccount()["server"].asText(); }
string AccountCurrency() { return seenAccount()["currency"].asText(); }
int AccountLeverage() { return static_cast<int>(seenAccount()["leverage"].asInteger()); }
double AccountBalance() { return amount("balance"); }
double AccountCredit() { return amount("credit"); }
double AccountEquity() { return amount("equity"); }
double AccountProfit() { return amount("profit"); }
double AccountMargin() { return amount("margin"); }
double AccountFreeMargin() { return amount("free_margin"); }
bool IsConnected() { return TerminalInfoInteger(TERMINAL_CONNECTED) != 0; }
datetime TimeCurrent() { return TimeGMT() + seen()["terminal"]["server_offset_seconds"].asInteger(); }
double MarketInfo(const string &symbol, ENUM_MARKET_INFO what) {
  static const char *const names[] = {"digits", "bid", "ask", "volume_max"};
  const Value *found = findSymbol(symbol);
  return found == nullptr ? 0 : (*found)[names[what]].asNumber();
}
bool RefreshRates() { return true; }

int OrdersTotal() { return static_cast<int>(positions().size() + pending().size()); }
bool OrderSelect(int at, int how, int) {
  if (how == SELECT_BY_TICKET) return selectTicket(positions(), at) || selectTicket(pending(), at);
  if (at < 0 || at >= OrdersTotal()) return false;
  size_t index = static_cast<size_t>(at);
  order = index < positions().size() ? positions()[index] : pending()[index - positions().size()];
  return true;
}
int OrderTicket() { return static_cast<int>(order["ticket"].asInteger()); }
int OrderType() {
  static const char *const types[] = {"buy", "sell", "buy_limit", "sell_limit", "buy_stop", "sell_stop"};
  const std::string &name = order["side"].isText ? order["side"].text : order["type"].text;
  for (int type = OP_BUY; type <= OP_SELLSTOP; type++) {
    if (name == types[type]) return type;
  }
  return -1;
}
string OrderSymbol() { return order["symbol"].asText(); }
double OrderLots() { return order["volume"].asNumber(); }
double OrderOpenPrice() { return order[order["side"].isText ? "open_price" : "price"].asNumber(); }
double OrderClosePrice() { return order["price"].asNumber(); }
double OrderStopLoss() { return order["stop_loss"].asNumber(); }
double OrderTakeProfit() { return order["take_profit"].asNumber(); }
double OrderSwap() { return order["swap"].asNumber(); }
double OrderProfit() { return order["profit"].asNumber(); }
double OrderCommission() { return 0; }
int OrderMagicNumber() { return static_cast<int>(order["magic"].asInteger()); }
string OrderComment() { return order["comment"].asText(); }
datetime OrderOpenTime() { return toServerMs(order[order["side"].isText ? "opened_at" : "placed_at"]) / 1000; }
datetime OrderCloseTime() { return 0; }

bool OrderClose(int ticket, double lots, double, int) {
  std::string volume = DoubleToString(lots, 2).utf8();
  return trade("{\"action\":\"close\",\"ticket\":\"" + std::to_string(ticket) + "\",\"volume\":\"" + volume + "\"}");
}
bool OrderCloseBy(int ticket, int opposite) {
  return trade("{\"action\":\"close_by\",\"ticket\":\"" + std::to_string(ticket) + "\",\"by\":\"" + std::to_string(opposite) + "\"}");
}
bool OrderDelete(int ticket) { return trade("{\"action\":\"delete\",\"ticket\":\"" + std::to_string(ticket) + "\"}"); }
