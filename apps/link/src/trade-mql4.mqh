// Closes and deletes in MetaTrader 4. Its errors become the return codes of MQL5, which readers know.

#define DEVIATION_POINTS 100
#define TRADE_RETCODE_REQUOTE 10004
#define TRADE_RETCODE_DONE 10009
#define TRADE_RETCODE_TIMEOUT 10012
#define TRADE_RETCODE_INVALID_VOLUME 10014
#define TRADE_RETCODE_TRADE_DISABLED 10017
#define TRADE_RETCODE_MARKET_CLOSED 10018
#define TRADE_RETCODE_NO_MONEY 10019
#define TRADE_RETCODE_PRICE_CHANGED 10020
#define TRADE_RETCODE_PRICE_OFF 10021
#define TRADE_RETCODE_TOO_MANY_REQUESTS 10024
#define TRADE_RETCODE_SERVER_DISABLES_AT 10026
#define TRADE_RETCODE_CLIENT_DISABLES_AT 10027
#define TRADE_RETCODE_CONNECTION 10031
#define TRADE_RETCODE_INVALID_ORDER 10035
#define TRADE_RETCODE_POSITION_CLOSED 10036
#define TRADE_RETCODE_FIFO_CLOSE 10045

struct TradeAnswer
  {
   uint retcode;
   string message;
   ulong order;
   ulong deal;
   bool is_not_for_us;
  };

void Answer(TradeAnswer &answer, uint retcode, string message)
  {
   answer.retcode = retcode;
   answer.message = message;
   answer.order = 0;
   answer.deal = 0;
   answer.is_not_for_us = false;
  }

// What is not known here is an outcome that has to be looked for.
uint ToRetcode(int error)
  {
   switch(error)
     {
      case 6: return TRADE_RETCODE_CONNECTION;
      case 129: return TRADE_RETCODE_PRICE_CHANGED;
      case 131: return TRADE_RETCODE_INVALID_VOLUME;
      case 132: return TRADE_RETCODE_MARKET_CLOSED;
      case 64:
      case 65:
      case 133: return TRADE_RETCODE_TRADE_DISABLED;
      case 134: return TRADE_RETCODE_NO_MONEY;
      case 135: return TRADE_RETCODE_PRICE_CHANGED;
      case 136: return TRADE_RETCODE_PRICE_OFF;
      case 138: return TRADE_RETCODE_REQUOTE;
      case 4:
      case 8:
      case 137:
      case 139:
      case 141:
      case 145:
      case 146: return TRADE_RETCODE_TOO_MANY_REQUESTS;
      case 150: return TRADE_RETCODE_FIFO_CLOSE;
      case 4109: return TRADE_RETCODE_CLIENT_DISABLES_AT;
      case 4108: return TRADE_RETCODE_INVALID_ORDER;
     }
   return TRADE_RETCODE_TIMEOUT;
  }

bool IsTradingRefused(TradeAnswer &answer)
  {
   if(!IsConnected()) Answer(answer, TRADE_RETCODE_CONNECTION, "No connection");
   else if(TerminalInfoInteger(TERMINAL_TRADE_ALLOWED) == 0 || MQLInfoInteger(MQL_TRADE_ALLOWED) == 0)
      Answer(answer, TRADE_RETCODE_CLIENT_DISABLES_AT, "Algo trading is off in the terminal");
   else if(AccountInfoInteger(ACCOUNT_TRADE_ALLOWED) == 0 || AccountInfoInteger(ACCOUNT_TRADE_EXPERT) == 0)
      Answer(answer, TRADE_RETCODE_SERVER_DISABLES_AT, "The account does not allow algo trading");
   else return false;
   return true;
  }

// False, and an answer, where there is no such open order.
bool SelectOpen(ulong ticket, bool is_pending, TradeAnswer &answer)
  {
   bool is_there = ticket <= 2147483647 && OrderSelect((int)ticket, SELECT_BY_TICKET, MODE_TRADES);
   if(is_there && OrderCloseTime() == 0 && IsPosition(OrderType()) != is_pending) return true;
   if(is_pending) Answer(answer, TRADE_RETCODE_INVALID_ORDER, "There is no such order");
   else Answer(answer, TRADE_RETCODE_POSITION_CLOSED, "There is no such position");
   return false;
  }

void AnswerTrade(bool is_done, TradeAnswer &answer)
  {
   if(is_done) Answer(answer, TRADE_RETCODE_DONE, "Done");
   else
     {
      int error = GetLastError();
      Answer(answer, ToRetcode(error), "error " + IntegerToString(error));
     }
  }

void ClosePosition(ulong ticket, double volume, TradeAnswer &answer)
  {
   if(IsTradingRefused(answer) || !SelectOpen(ticket, false, answer)) return;
   double size = OrderLots();
   if(volume > size + 0.000000001)
     {
      Answer(answer, TRADE_RETCODE_INVALID_VOLUME, "The position is smaller than that");
      return;
     }
   RefreshRates();
   double price = MarketInfo(OrderSymbol(), OrderType() == OP_BUY ? MODE_BID : MODE_ASK);
   double most = MarketInfo(OrderSymbol(), MODE_MAXLOT);
   double part = most > 0.0 && size > most ? most : size;
   ResetLastError();
   AnswerTrade(OrderClose((int)ticket, volume > 0.0 ? volume : part, price, DEVIATION_POINTS), answer);
  }

void CloseBy(ulong ticket, ulong by, TradeAnswer &answer)
  {
   if(IsTradingRefused(answer) || !SelectOpen(by, false, answer) || !SelectOpen(ticket, false, answer)) return;
   ResetLastError();
   AnswerTrade(OrderCloseBy((int)ticket, (int)by), answer);
  }

void DeleteOrder(ulong ticket, TradeAnswer &answer)
  {
   if(IsTradingRefused(answer) || !SelectOpen(ticket, true, answer)) return;
   ResetLastError();
   AnswerTrade(OrderDelete((int)ticket), answer);
  }

// MetaTrader 4 tells no program which charts have experts.
void RemoveExperts(TradeAnswer &answer) { Answer(answer, 0, "unknown action"); }
