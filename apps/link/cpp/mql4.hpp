/** The functions of MQL4 that the link program uses: there a position is an order. */
#ifndef BERTH_LINK_MQL4_HPP
#define BERTH_LINK_MQL4_HPP

#include "files.hpp"
#include "terminal.hpp"

enum { OP_BUY, OP_SELL, OP_BUYLIMIT, OP_SELLLIMIT, OP_BUYSTOP, OP_SELLSTOP };
enum { SELECT_BY_POS, SELECT_BY_TICKET };
enum { MODE_TRADES };
enum ENUM_MARKET_INFO { MODE_DIGITS, MODE_BID, MODE_ASK, MODE_MAXLOT };

int AccountNumber();
string AccountServer();
string AccountCurrency();
int AccountLeverage();
double AccountBalance();
double AccountCredit();
double AccountEquity();
double AccountProfit();
double AccountMargin();
double AccountFreeMargin();
bool IsConnected();
datetime TimeCurrent();
double MarketInfo(const string &symbol, ENUM_MARKET_INFO what);
bool RefreshRates();
int OrdersTotal();
bool OrderSelect(int at, int how, int pool);
int OrderTicket();
int OrderType();
string OrderSymbol();
double OrderLots();
double OrderOpenPrice();
double OrderClosePrice();
double OrderStopLoss();
double OrderTakeProfit();
double OrderSwap();
double OrderProfit();
double OrderCommission();
int OrderMagicNumber();
string OrderComment();
datetime OrderOpenTime();
datetime OrderCloseTime();
bool OrderClose(int ticket, double lots, double price, int slippage);
bool OrderCloseBy(int ticket, int opposite);
bool OrderDelete(int ticket);

#endif
