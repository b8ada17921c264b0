/** The functions of MQL5 that the link program uses, on what the host tells. */
#ifndef BERTH_LINK_MQL5_HPP
#define BERTH_LINK_MQL5_HPP

#include <algorithm>

#include "files.hpp"
#include "terminal.hpp"

enum ENUM_ACCOUNT_INFO_DOUBLE {
  ACCOUNT_BALANCE,
  ACCOUNT_CREDIT,
  ACCOUNT_EQUITY,
  ACCOUNT_PROFIT,
  ACCOUNT_MARGIN,
  ACCOUNT_MARGIN_FREE,
  ACCOUNT_MARGIN_LEVEL
};
enum ENUM_ACCOUNT_INFO_STRING { ACCOUNT_SERVER, ACCOUNT_CURRENCY };
constexpr int ACCOUNT_MARGIN_MODE_RETAIL_HEDGING = 2;
enum ENUM_POSITION_PROPERTY_DOUBLE {
  POSITION_VOLUME,
  POSITION_PRICE_OPEN,
  POSITION_PRICE_CURRENT,
  POSITION_SL,
  POSITION_TP,
  POSITION_SWAP,
  POSITION_PROFIT
};
enum ENUM_POSITION_PROPERTY_INTEGER { POSITION_TYPE, POSITION_MAGIC, POSITION_TIME_MSC };
enum ENUM_POSITION_PROPERTY_STRING { POSITION_SYMBOL, POSITION_COMMENT };
enum { POSITION_TYPE_BUY, POSITION_TYPE_SELL };
enum ENUM_ORDER_PROPERTY_DOUBLE { ORDER_VOLUME_CURRENT, ORDER_PRICE_OPEN, ORDER_SL, ORDER_TP };
enum ENUM_ORDER_PROPERTY_INTEGER { ORDER_TYPE, ORDER_MAGIC, ORDER_TIME_SETUP_MSC };
enum ENUM_ORDER_PROPERTY_STRING { ORDER_SYMBOL, ORDER_COMMENT };
enum ENUM_ORDER_TYPE {
  ORDER_TYPE_BUY,
  ORDER_TYPE_SELL,
  ORDER_TYPE_BUY_LIMIT,
  ORDER_TYPE_SELL_LIMIT,
  ORDER_TYPE_BUY_STOP,
  ORDER_TYPE_SELL_STOP,
  ORDER_TYPE_BUY_STOP_LIMIT,
  ORDER_TYPE_SELL_STOP_LIMIT
};
enum ENUM_SYMBOL_INFO_INTEGER { SYMBOL_DIGITS, SYMBOL_FILLING_MODE, SYMBOL_TRADE_MODE, SYMBOL_TIME_MSC };
enum ENUM_DAY_OF_WEEK { SUNDAY };
enum ENUM_CHART_PROPERTY_STRING { CHART_EXPERT_NAME };
enum ENUM_SYMBOL_INFO_DOUBLE { SYMBOL_BID, SYMBOL_ASK, SYMBOL_VOLUME_MAX };
constexpr int SYMBOL_FILLING_FOK = 1, SYMBOL_FILLING_IOC = 2, SYMBOL_TRADE_MODE_DISABLED = 0;
enum ENUM_ORDER_TYPE_FILLING { ORDER_FILLING_FOK, ORDER_FILLING_IOC, ORDER_FILLING_RETURN };
enum ENUM_TRADE_REQUEST_ACTIONS { TRADE_ACTION_DEAL = 1, TRADE_ACTION_REMOVE = 8, TRADE_ACTION_CLOSE_BY = 10 };
enum ENUM_DEAL_PROPERTY_DOUBLE { DEAL_VOLUME, DEAL_PRICE, DEAL_COMMISSION, DEAL_FEE, DEAL_SWAP, DEAL_PROFIT };
enum ENUM_DEAL_PROPERTY_INTEGER { DEAL_ORDER, DEAL_POSITION_ID, DEAL_TYPE, DEAL_ENTRY, DEAL_REASON, DEAL_MAGIC, DEAL_TIME_MSC };
enum ENUM_DEAL_PROPERTY_STRING { DEAL_SYMBOL, DEAL_COMMENT };
/** In MQL5's order: its numbers are stored by brokers. */
enum {
  DEAL_TYPE_BUY,
  DEAL_TYPE_SELL,
  DEAL_TYPE_BALANCE,
  DEAL_TYPE_CREDIT,
  DEAL_TYPE_CHARGE,
  DEAL_TYPE_CORRECTION,
  DEAL_TYPE_BONUS,
  DEAL_TYPE_COMMISSION,
  DEAL_TYPE_COMMISSION_DAILY,
  DEAL_TYPE_COMMISSION_MONTHLY,
  DEAL_TYPE_COMMISSION_AGENT_DAILY,
  DEAL_TYPE_COMMISSION_AGENT_MONTHLY,
  DEAL_TYPE_INTEREST,
  DEAL_TYPE_BUY_CANCELED,
  DEAL_TYPE_SELL_CANCELED,
  DEAL_DIVIDEND,
  DEAL_DIVIDEND_FRANKED,
  DEAL_TAX
};
enum {
  DEAL_REASON_CLIENT,
  DEAL_REASON_MOBILE,
  DEAL_REASON_WEB,
  DEAL_REASON_EXPERT,
  DEAL_REASON_SL,
  DEAL_REASON_TP,
  DEAL_REASON_SO,
  DEAL_REASON_ROLLOVER,
  DEAL_REASON_VMARGIN,
  DEAL_REASON_SPLIT
};
enum { DEAL_ENTRY_IN, DEAL_ENTRY_OUT, DEAL_ENTRY_INOUT };
constexpr unsigned int TRADE_RETCODE_DONE = 10009, TRADE_RETCODE_TIMEOUT = 10012, TRADE_RETCODE_INVALID_VOLUME = 10014,
                       TRADE_RETCODE_TRADE_DISABLED = 10017, TRADE_RETCODE_SERVER_DISABLES_AT = 10026,
                       TRADE_RETCODE_CLIENT_DISABLES_AT = 10027, TRADE_RETCODE_INVALID_FILL = 10030,
                       TRADE_RETCODE_CONNECTION = 10031, TRADE_RETCODE_INVALID_ORDER = 10035,
                       TRADE_RETCODE_POSITION_CLOSED = 10036;

struct MqlTradeRequest {
  ENUM_TRADE_REQUEST_ACTIONS action;
  uint64_t magic, order;
  string symbol;
  double volume, price;
  uint64_t deviation;
  ENUM_ORDER_TYPE type;
  ENUM_ORDER_TYPE_FILLING type_filling;
  uint64_t position, position_by;
};
struct MqlTradeResult {
  unsigned int retcode;
  uint64_t deal, order;
  string comment;
};
struct MqlTradeTransaction {};

double AccountInfoDouble(ENUM_ACCOUNT_INFO_DOUBLE property);
string AccountInfoString(ENUM_ACCOUNT_INFO_STRING property);
int PositionsTotal();
uint64_t PositionGetTicket(int index);
bool PositionSelectByTicket(uint64_t ticket);
double PositionGetDouble(ENUM_POSITION_PROPERTY_DOUBLE property);
int64_t PositionGetInteger(ENUM_POSITION_PROPERTY_INTEGER property);
string PositionGetString(ENUM_POSITION_PROPERTY_STRING property);
int OrdersTotal();
uint64_t OrderGetTicket(int index);
bool OrderSelect(uint64_t ticket);
double OrderGetDouble(ENUM_ORDER_PROPERTY_DOUBLE property);
int64_t OrderGetInteger(ENUM_ORDER_PROPERTY_INTEGER property);
string OrderGetString(ENUM_ORDER_PROPERTY_STRING property);
bool SymbolSelect(const string &symbol, bool isSelected);
bool SymbolInfoInteger(const string &symbol, ENUM_SYMBOL_INFO_INTEGER property, int64_t &value);
int64_t SymbolInfoInteger(const string &symbol, ENUM_SYMBOL_INFO_INTEGER property);
bool SymbolInfoSessionTrade(const string &symbol, ENUM_DAY_OF_WEEK day, unsigned int index, datetime &from, datetime &to);
double SymbolInfoDouble(const string &symbol, ENUM_SYMBOL_INFO_DOUBLE property);
bool OrderSend(const MqlTradeRequest &request, MqlTradeResult &result);
datetime TimeTradeServer();
bool HistorySelect(datetime from, datetime to);
int HistoryDealsTotal();
uint64_t HistoryDealGetTicket(int index);
double HistoryDealGetDouble(uint64_t ticket, ENUM_DEAL_PROPERTY_DOUBLE property);
int64_t HistoryDealGetInteger(uint64_t ticket, ENUM_DEAL_PROPERTY_INTEGER property);
string HistoryDealGetString(uint64_t ticket, ENUM_DEAL_PROPERTY_STRING property);

int64_t ChartFirst();
int64_t ChartNext(int64_t chart);
string ChartGetString(int64_t chart, ENUM_CHART_PROPERTY_STRING property);
bool ChartSaveTemplate(int64_t chart, const string &name);
bool ChartClose(int64_t chart);

template <class Item> void ArraySort(Array<Item> &array) { std::sort(array.items.begin(), array.items.end()); }

#endif
