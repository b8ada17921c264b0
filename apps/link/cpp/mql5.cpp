#include "mql5.hpp"

#include <map>

namespace {

const Value none;
/** The selected position and order: MQL's functions speak of them. */
Value position;
Value order;
/** The history of one account, as the terminal has loaded it: it only grows. */
std::string historyOwner;
std::vector<Value> history;
std::map<uint64_t, size_t> historyPlaces;

const std::vector<Value> &positions() { return seenAccount()["positions"].items; }
const std::vector<Value> &orders() { return seenAccount()["orders"].items; }

template <class List> uint64_t selectAt(const List &list, int index, Value &selected) {
  if (index < 0 || static_cast<size_t>(index) >= list.size()) return 0;
  selected = list[static_cast<size_t>(index)];
  return static_cast<uint64_t>(selected["ticket"].asInteger());
}

template <class List> bool selectTicket(const List &list, uint64_t ticket, Value &selected) {
  for (const Value &each : list) {
    if (static_cast<uint64_t>(each["ticket"].asInteger()) != ticket) continue;
    selected = each;
    return true;
  }
  return false;
}

const Value &findDeal(uint64_t ticket) {
  auto place = historyPlaces.find(ticket);
  return place == historyPlaces.end() ? none : history[place->second];
}

/** The place of a text in a list; -1: it is not there. */
template <size_t Count> int64_t placeOf(const std::string &text, const char *const (&names)[Count]) {
  for (size_t place = 0; place < Count; place++) {
    if (text == names[place]) return static_cast<int64_t>(place);
  }
  return -1;
}

/** By the number of a kind that only tests know, by the side of a trade, or by the broker's word. */
int64_t toDealType(const Value &deal) {
  static const char *const sides[] = {"buy", "sell"};
  static const char *const types[] = {"balance", "credit", "charge", "correction", "bonus", "commission"};
  if (!deal["deal_type"].text.empty()) return deal["deal_type"].asInteger();
  int64_t side = placeOf(deal["side"].text, sides);
  if (side >= 0) return side;
  int64_t type = placeOf(deal["type"].text.empty() ? deal["side"].text : deal["type"].text, types);
  return type < 0 ? static_cast<int64_t>(DEAL_TYPE_CHARGE) : type + DEAL_TYPE_BALANCE;
}

std::string toDecimal(double value, int digits) { return DoubleToString(value, digits).utf8(); }

/** In the words of the sandbox's broker. A deal without a position is one of a netting account. */
std::string toBrokersRequest(const MqlTradeRequest &request) {
  if (request.action == TRADE_ACTION_REMOVE) {
    return "{\"action\":\"delete\",\"ticket\":\"" + std::to_string(request.order) + "\"}";
  }
  if (request.action == TRADE_ACTION_CLOSE_BY) {
    return "{\"action\":\"close_by\",\"ticket\":\"" + std::to_string(request.position) + "\",\"by\":\"" +
           std::to_string(request.position_by) + "\"}";
  }
  std::string volume = "\"volume\":\"" + toDecimal(request.volume, 2) + "\"";
  if (request.position != 0) {
    return "{\"action\":\"close\",\"ticket\":\"" + std::to_string(request.position) + "\"," + volume + "}";
  }
  std::string side = request.type == ORDER_TYPE_BUY ? "buy" : "sell";
  std::string terms = "\"stop_loss\":null,\"take_profit\":null,\"comment\":\"\",\"magic\":\"" + std::to_string(request.magic);
  return "{\"action\":\"open\",\"side\":\"" + side + "\",\"symbol\":" + toJson(request.symbol) + "," + volume + "," + terms +
         "\"}";
}

bool isFillingWrong(const MqlTradeRequest &request) {
  if (request.action != TRADE_ACTION_DEAL) return false;
  int64_t modes = SymbolInfoInteger(request.symbol, SYMBOL_FILLING_MODE);
  if (request.type_filling == ORDER_FILLING_FOK) return (modes & SYMBOL_FILLING_FOK) == 0;
  if (request.type_filling == ORDER_FILLING_IOC) return (modes & SYMBOL_FILLING_IOC) == 0;
  return modes != 0;
}

} // namespace

double AccountInfoDouble(ENUM_ACCOUNT_INFO_DOUBLE property) {
  static const char *const names[] = {"balance", "credit", "equity", "profit", "margin", "free_margin", "margin_level"};
  return seenAccount()[names[property]].asNumber();
}
string AccountInfoString(ENUM_ACCOUNT_INFO_STRING property) {
  return seenAccount()[property == ACCOUNT_SERVER ? "server" : "currency"].asText();
}

int PositionsTotal() { return static_cast<int>(positions().size()); }
uint64_t PositionGetTicket(int index) { return selectAt(positions(), index, position); }
bool PositionSelectByTicket(uint64_t ticket) { return selectTicket(positions(), ticket, position); }
double PositionGetDouble(ENUM_POSITION_PROPERTY_DOUBLE property) {
  static const char *const names[] = {"volume", "open_price", "price", "stop_loss", "take_profit", "swap", "profit"};
  return position[names[property]].asNumber();
}
int64_t PositionGetInteger(ENUM_POSITION_PROPERTY_INTEGER property) {
  if (property == POSITION_TYPE) return position["side"].text == "buy" ? POSITION_TYPE_BUY : POSITION_TYPE_SELL;
  return property == POSITION_MAGIC ? position["magic"].asInteger() : toServerMs(position["opened_at"]);
}
string PositionGetString(ENUM_POSITION_PROPERTY_STRING property) {
  return position[property == POSITION_SYMBOL ? "symbol" : "comment"].asText();
}

int OrdersTotal() { return static_cast<int>(orders().size()); }
uint64_t OrderGetTicket(int index) { return selectAt(orders(), index, order); }
bool OrderSelect(uint64_t ticket) { return selectTicket(orders(), ticket, order); }
double OrderGetDouble(ENUM_ORDER_PROPERTY_DOUBLE property) {
  static const char *const names[] = {"volume", "price", "stop_loss", "take_profit"};
  return order[names[property]].asNumber();
}
int64_t OrderGetInteger(ENUM_ORDER_PROPERTY_INTEGER property) {
  static const char *const types[] = {"buy",      "sell",      "buy_limit",      "sell_limit",
                                      "buy_stop", "sell_stop", "buy_stop_limit", "sell_stop_limit"};
  if (property == ORDER_MAGIC) return order["magic"].asInteger();
  if (property == ORDER_TIME_SETUP_MSC) return toServerMs(order["placed_at"]);
  for (int type = ORDER_TYPE_BUY; type <= ORDER_TYPE_SELL_STOP_LIMIT; type++) {
    if (order["type"].text == types[type]) return type;
  }
  return -1;
}
string OrderGetString(ENUM_ORDER_PROPERTY_STRING property) {
  return order[property == ORDER_SYMBOL ? "symbol" : "comment"].asText();
}

bool SymbolSelect(const string &symbol, bool) { return findSymbol(symbol) != nullptr; }
bool SymbolInfoInteger(const string &symbol, ENUM_SYMBOL_INFO_INTEGER property, int64_t &value) {
  static const char *const names[] = {"digits", "filling", "trade_mode", "time_msc"};
  const Value *found = findSymbol(symbol);
  // Of a host that tells no times, prices come all the time.
  if (found != nullptr && property == SYMBOL_TIME_MSC && (*found)["time_msc"].text.empty()) {
    value = linkHost()->nowMs();
    return true;
  }
  if (found != nullptr) value = (*found)[names[property]].asInteger();
  return found != nullptr;
}
int64_t SymbolInfoInteger(const string &symbol, ENUM_SYMBOL_INFO_INTEGER property) {
  int64_t value = 0;
  SymbolInfoInteger(symbol, property, value);
  return value;
}
/** Sessions of each day alike; a symbol without any is open all day. */
bool SymbolInfoSessionTrade(const string &symbol, ENUM_DAY_OF_WEEK, unsigned int index, datetime &from, datetime &to) {
  const Value *found = findSymbol(symbol);
  if (found == nullptr) return false;
  const std::vector<Value> &sessions = (*found)["sessions"].items;
  from = to = 0;
  if (sessions.empty()) return index == 0;
  if (index >= sessions.size()) return false;
  from = sessions[index].items[0].asInteger();
  to = sessions[index].items[1].asInteger();
  return true;
}
double SymbolInfoDouble(const string &symbol, ENUM_SYMBOL_INFO_DOUBLE property) {
  const Value *found = findSymbol(symbol);
  static const char *const names[] = {"bid", "ask", "volume_max"};
  return found == nullptr ? 0 : (*found)[names[property]].asNumber();
}

bool OrderSend(const MqlTradeRequest &request, MqlTradeResult &result) {
  result = MqlTradeResult{};
  if (seen()["terminal"]["refuses_services"].isTrue()) {
    setLastError(ERR_FUNCTION_NOT_ALLOWED);
    return false;
  }
  result.retcode = isFillingWrong(request) ? TRADE_RETCODE_INVALID_FILL : findRefusal();
  if (result.retcode != 0) return false;
  Value answer = askTrade(toBrokersRequest(request));
  result.retcode = static_cast<unsigned int>(answer["retcode"].asInteger());
  result.comment = answer["message"].asText();
  result.order = static_cast<uint64_t>(answer["order"].asInteger());
  result.deal = static_cast<uint64_t>(answer["deal"].asInteger());
  return result.retcode == 10009;
}

datetime TimeTradeServer() { return TimeGMT() + seen()["terminal"]["server_offset_seconds"].asInteger(); }

/** Loads what came since. Of a smaller span than the whole the link program never asks. */
bool HistorySelect(datetime, datetime) {
  std::string owner = seenAccount()["login"].text + " " + seenAccount()["server"].text;
  if (owner != historyOwner) {
    history.clear();
    historyPlaces.clear();
    historyOwner = owner;
  }
  for (;;) {
    std::string after = history.empty() ? "" : history.back()["ticket"].text;
    char *text = linkHost()->listDeals(after.c_str());
    if (text == nullptr) return false;
    Value answer = Value::parse(text);
    linkHost()->release(text);
    for (const Value &deal : answer["deals"].items) {
      historyPlaces[static_cast<uint64_t>(deal["ticket"].asInteger())] = history.size();
      history.push_back(deal);
    }
    if (answer["is_complete"].isTrue() || answer["deals"].items.empty()) return true;
  }
}

int HistoryDealsTotal() { return static_cast<int>(history.size()); }
uint64_t HistoryDealGetTicket(int index) {
  Value deal;
  return selectAt(history, index, deal);
}
double HistoryDealGetDouble(uint64_t ticket, ENUM_DEAL_PROPERTY_DOUBLE property) {
  static const char *const names[] = {"volume", "price", "commission", "fee", "swap", "profit"};
  return findDeal(ticket)[names[property]].asNumber();
}
int64_t HistoryDealGetInteger(uint64_t ticket, ENUM_DEAL_PROPERTY_INTEGER property) {
  static const char *const reasons[] = {"client",    "mobile",   "web",      "expert",           "stop_loss", "take_profit",
                                        "stop_out",  "rollover", "variation_margin", "split", "corporate_action"};
  const Value &deal = findDeal(ticket);
  switch (property) {
    case DEAL_ORDER: return deal["order"].asInteger();
    case DEAL_POSITION_ID: return deal["position_id"].asInteger();
    case DEAL_MAGIC: return deal["magic"].asInteger();
    case DEAL_TIME_MSC: return toServerMs(deal["at"]);
    case DEAL_ENTRY: return deal["entry"].text == "in" ? DEAL_ENTRY_IN : deal["entry"].text == "out" ? DEAL_ENTRY_OUT : DEAL_ENTRY_INOUT;
    // Of an opening nobody asks: it was the same person or program, or an order that was reached.
    case DEAL_REASON: return placeOf(deal["out_by"].text, reasons);
    default: return toDealType(deal);
  }
}
string HistoryDealGetString(uint64_t ticket, ENUM_DEAL_PROPERTY_STRING property) {
  return findDeal(ticket)[property == DEAL_SYMBOL ? "symbol" : "comment"].asText();
}

namespace {
const std::vector<Value> &charts() { return seen()["charts"].items; }
int64_t chartAt(size_t index) { return index < charts().size() ? charts()[index]["id"].asInteger() : -1; }
bool changeChart(const std::string &what) {
  if (linkHost()->changeChart == nullptr) return false;
  linkHost()->changeChart(what.c_str());
  return true;
}
} // namespace

int64_t ChartFirst() { return chartAt(0); }
int64_t ChartNext(int64_t chart) {
  size_t index = 0;
  while (index < charts().size() && charts()[index]["id"].asInteger() != chart) index++;
  return chartAt(index + 1);
}
string ChartGetString(int64_t chart, ENUM_CHART_PROPERTY_STRING) {
  for (const Value &each : charts()) {
    if (each["id"].asInteger() == chart) return each["expert"].asText();
  }
  return string();
}
bool ChartSaveTemplate(int64_t chart, const string &name) {
  return changeChart("save " + std::to_string(chart) + " " + name.utf8());
}
bool ChartClose(int64_t chart) { return changeChart("close " + std::to_string(chart)); }
