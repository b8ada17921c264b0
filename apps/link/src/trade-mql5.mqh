// Closes and deletes in MetaTrader 5. Sends once: whether to try again is for the reader of the answer.

// How far a price may have moved, in points, where the broker asks for it: a position is to be closed, not to wait.
#define DEVIATION_POINTS 100

struct TradeAnswer
  {
   uint retcode;
   string message;
   ulong order;
   ulong deal;
   // The terminal lets this kind of program send nothing: another kind may.
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

// Refused here, before anything was sent. False where nothing stands against it.
bool IsTradingRefused(TradeAnswer &answer)
  {
   if(TerminalInfoInteger(TERMINAL_CONNECTED) == 0) Answer(answer, TRADE_RETCODE_CONNECTION, "No connection");
   else if(TerminalInfoInteger(TERMINAL_TRADE_ALLOWED) == 0 || MQLInfoInteger(MQL_TRADE_ALLOWED) == 0)
      Answer(answer, TRADE_RETCODE_CLIENT_DISABLES_AT, "Algo trading is off in the terminal");
   else if(AccountInfoInteger(ACCOUNT_TRADE_ALLOWED) == 0 || AccountInfoInteger(ACCOUNT_TRADE_EXPERT) == 0)
      Answer(answer, TRADE_RETCODE_SERVER_DISABLES_AT, "The account does not allow algo trading");
   else return false;
   return true;
  }

void Send(MqlTradeRequest &request, TradeAnswer &answer)
  {
   MqlTradeResult result;
   ZeroMemory(result);
   ResetLastError();
   bool is_sent = OrderSend(request, result);
   int error = GetLastError();
   if(!is_sent && result.retcode == 0 && error == ERR_FUNCTION_NOT_ALLOWED)
     {
      Answer(answer, 0, NO_ORDERS);
      answer.is_not_for_us = true;
      return;
     }
   // Without a code nobody knows whether it arrived: that is MQL's code for an outcome that has to be looked for.
   if(result.retcode == 0) Answer(answer, TRADE_RETCODE_TIMEOUT, "error " + IntegerToString(error) + ": look first");
   else Answer(answer, result.retcode, result.comment);
   answer.order = result.order;
   answer.deal = result.deal;
  }

// What the symbol takes, fill or kill before the others.
ENUM_ORDER_TYPE_FILLING FillingOf(string symbol)
  {
   long modes = SymbolInfoInteger(symbol, SYMBOL_FILLING_MODE);
   if((modes & SYMBOL_FILLING_FOK) != 0) return ORDER_FILLING_FOK;
   if((modes & SYMBOL_FILLING_IOC) != 0) return ORDER_FILLING_IOC;
   return ORDER_FILLING_RETURN;
  }

// A filling that the broker refuses was not sent: another one may be taken.
void SendFilling(MqlTradeRequest &request, TradeAnswer &answer)
  {
   ENUM_ORDER_TYPE_FILLING first = FillingOf(request.symbol);
   ENUM_ORDER_TYPE_FILLING fillings[] = {ORDER_FILLING_FOK, ORDER_FILLING_IOC, ORDER_FILLING_RETURN};
   request.type_filling = first;
   Send(request, answer);
   for(int index = 0; index < 3 && answer.retcode == TRADE_RETCODE_INVALID_FILL; index++)
     {
      if(fillings[index] == first) continue;
      request.type_filling = fillings[index];
      Send(request, answer);
     }
  }

// @param volume 0 for all of it, or as much of it as one order may have
void ClosePosition(ulong ticket, double volume, TradeAnswer &answer)
  {
   if(IsTradingRefused(answer)) return;
   if(!PositionSelectByTicket(ticket))
     {
      Answer(answer, TRADE_RETCODE_POSITION_CLOSED, "There is no such position");
      return;
     }
   string symbol = PositionGetString(POSITION_SYMBOL);
   double size = PositionGetDouble(POSITION_VOLUME);
   bool is_buy = PositionGetInteger(POSITION_TYPE) == POSITION_TYPE_BUY;
   long magic = PositionGetInteger(POSITION_MAGIC);
   // More than there is would open the opposite position in a netting account.
   if(volume > size + 0.000000001)
     {
      Answer(answer, TRADE_RETCODE_INVALID_VOLUME, "The position is smaller than that");
      return;
     }
   if(SymbolInfoInteger(symbol, SYMBOL_TRADE_MODE) == SYMBOL_TRADE_MODE_DISABLED)
     {
      Answer(answer, TRADE_RETCODE_TRADE_DISABLED, "Trading in this symbol is off");
      return;
     }
   // Without it the symbol may have no price.
   SymbolSelect(symbol, true);
   MqlTradeRequest request;
   ZeroMemory(request);
   request.action = TRADE_ACTION_DEAL;
   request.symbol = symbol;
   double most = SymbolInfoDouble(symbol, SYMBOL_VOLUME_MAX);
   request.volume = volume > 0.0 ? volume : (most > 0.0 && size > most ? most : size);
   request.type = is_buy ? ORDER_TYPE_SELL : ORDER_TYPE_BUY;
   request.price = SymbolInfoDouble(symbol, is_buy ? SYMBOL_BID : SYMBOL_ASK);
   request.deviation = DEVIATION_POINTS;
   request.magic = (ulong)magic;
   if(AccountInfoInteger(ACCOUNT_MARGIN_MODE) == ACCOUNT_MARGIN_MODE_RETAIL_HEDGING) request.position = ticket;
   SendFilling(request, answer);
  }

// Two opposite positions by each other, which takes no margin. What is larger stays with the rest.
void CloseBy(ulong ticket, ulong by, TradeAnswer &answer)
  {
   if(IsTradingRefused(answer)) return;
   if(!PositionSelectByTicket(by) || !PositionSelectByTicket(ticket))
     {
      Answer(answer, TRADE_RETCODE_POSITION_CLOSED, "There is no such position");
      return;
     }
   MqlTradeRequest request;
   ZeroMemory(request);
   request.action = TRADE_ACTION_CLOSE_BY;
   request.position = ticket;
   request.position_by = by;
   request.magic = (ulong)PositionGetInteger(POSITION_MAGIC);
   Send(request, answer);
  }

void DeleteOrder(ulong ticket, TradeAnswer &answer)
  {
   if(IsTradingRefused(answer)) return;
   if(!OrderSelect(ticket))
     {
      Answer(answer, TRADE_RETCODE_INVALID_ORDER, "There is no such order");
      return;
     }
   MqlTradeRequest request;
   ZeroMemory(request);
   request.action = TRADE_ACTION_REMOVE;
   request.order = ticket;
   Send(request, answer);
  }
