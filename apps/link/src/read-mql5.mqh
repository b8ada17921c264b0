// Reads the account of MetaTrader 5: hedging or netting.

long offset_seconds = 0;

void LookAtOffset() { offset_seconds = ToOffsetSeconds((long)TimeTradeServer()); }
// A trade carries the server's time. Times before the last change to or from summer time are an hour off where it has one.
long ToUtcMs(long server_ms) { return server_ms - offset_seconds * MS_PER_SECOND; }

int SymbolDigits(string symbol)
  {
   long digits = 0;
   if(symbol == "" || !SymbolInfoInteger(symbol, SYMBOL_DIGITS, digits) || digits < 0 || digits > 8) return 5;
   return (int)digits;
  }

string PositionMembers(ulong ticket, int currency_digits)
  {
   string symbol = PositionGetString(POSITION_SYMBOL);
   int digits = SymbolDigits(symbol);
   string to = TicketMember("ticket", ticket) + TextMember("symbol", symbol);
   to += TextMember("side", PositionGetInteger(POSITION_TYPE) == POSITION_TYPE_BUY ? "buy" : "sell");
   to += TextMember("volume", VolumeText(PositionGetDouble(POSITION_VOLUME)));
   to += AmountMember("open_price", PositionGetDouble(POSITION_PRICE_OPEN), digits);
   to += AmountMember("price", PositionGetDouble(POSITION_PRICE_CURRENT), digits);
   to += StopMember("stop_loss", PositionGetDouble(POSITION_SL), digits);
   to += StopMember("take_profit", PositionGetDouble(POSITION_TP), digits);
   to += AmountMember("swap", PositionGetDouble(POSITION_SWAP), currency_digits);
   to += AmountMember("profit", PositionGetDouble(POSITION_PROFIT), currency_digits);
   to += TextMember("magic", IntegerToString(PositionGetInteger(POSITION_MAGIC)));
   to += TextMember("comment", ShortComment(PositionGetString(POSITION_COMMENT)));
   return to + TextMember("opened_at", ToIsoTime(ToUtcMs(PositionGetInteger(POSITION_TIME_MSC))));
  }

// "" for an order at the market, which is gone in a moment.
string PendingType(long type)
  {
   if(type == ORDER_TYPE_BUY_LIMIT) return "buy_limit";
   if(type == ORDER_TYPE_SELL_LIMIT) return "sell_limit";
   if(type == ORDER_TYPE_BUY_STOP) return "buy_stop";
   if(type == ORDER_TYPE_SELL_STOP) return "sell_stop";
   if(type == ORDER_TYPE_BUY_STOP_LIMIT) return "buy_stop_limit";
   if(type == ORDER_TYPE_SELL_STOP_LIMIT) return "sell_stop_limit";
   return "";
  }

string OrderMembers(ulong ticket, string type)
  {
   string symbol = OrderGetString(ORDER_SYMBOL);
   int digits = SymbolDigits(symbol);
   string to = TicketMember("ticket", ticket) + TextMember("symbol", symbol) + TextMember("type", type);
   to += TextMember("volume", VolumeText(OrderGetDouble(ORDER_VOLUME_CURRENT)));
   to += AmountMember("price", OrderGetDouble(ORDER_PRICE_OPEN), digits);
   to += StopMember("stop_loss", OrderGetDouble(ORDER_SL), digits);
   to += StopMember("take_profit", OrderGetDouble(ORDER_TP), digits);
   to += TextMember("magic", IntegerToString(OrderGetInteger(ORDER_MAGIC)));
   to += TextMember("comment", ShortComment(OrderGetString(ORDER_COMMENT)));
   return to + TextMember("placed_at", ToIsoTime(ToUtcMs(OrderGetInteger(ORDER_TIME_SETUP_MSC))));
  }

bool IsTradingAllowed()
  {
   return TerminalInfoInteger(TERMINAL_TRADE_ALLOWED) != 0 && MQLInfoInteger(MQL_TRADE_ALLOWED) != 0 &&
          AccountInfoInteger(ACCOUNT_TRADE_ALLOWED) != 0 && AccountInfoInteger(ACCOUNT_TRADE_EXPERT) != 0;
  }

string MoneyMembers(int digits)
  {
   string to = AmountMember("balance", AccountInfoDouble(ACCOUNT_BALANCE), digits);
   to += AmountMember("credit", AccountInfoDouble(ACCOUNT_CREDIT), digits);
   to += AmountMember("equity", AccountInfoDouble(ACCOUNT_EQUITY), digits);
   to += AmountMember("profit", AccountInfoDouble(ACCOUNT_PROFIT), digits);
   to += AmountMember("margin", AccountInfoDouble(ACCOUNT_MARGIN), digits);
   to += AmountMember("free_margin", AccountInfoDouble(ACCOUNT_MARGIN_FREE), digits);
   double level = AccountInfoDouble(ACCOUNT_MARGIN_LEVEL);
   if(AccountInfoDouble(ACCOUNT_MARGIN) == 0.0 || level == 0.0) return to + Member("margin_level", "null");
   return to + AmountMember("margin_level", level, 2);
  }

// Cheap enough for each step: whose account it is, and whether anything was traded.
void Glance(AccountState &state)
  {
   state.login = (ulong)AccountInfoInteger(ACCOUNT_LOGIN);
   state.server = AccountInfoString(ACCOUNT_SERVER);
   state.is_connected = TerminalInfoInteger(TERMINAL_CONNECTED) != 0 && state.login != 0;
   string key = IntegerToString(PositionsTotal()) + " " + IntegerToString(OrdersTotal());
   key += " " + DoubleToString(AccountInfoDouble(ACCOUNT_BALANCE), 8);
   state.quick_key = key + " " + DoubleToString(AccountInfoDouble(ACCOUNT_CREDIT), 8);
  }

string ListPositions(int digits, int &bytes)
  {
   JsonList list;
   BeginList(list, MAX_POSITION_BYTES);
   int total = PositionsTotal();
   for(int index = 0; index < total && list.count < MAX_LISTED; index++)
     {
      ulong ticket = PositionGetTicket(index);
      // Closed meanwhile: the next look does not have it.
      if(ticket != 0) AddItem(list, PositionMembers(ticket, digits));
     }
   bytes = list.bytes;
   return Member("positions", "[" + list.text + "]");
  }

string ListOrders(int max_bytes, int &pending)
  {
   JsonList list;
   BeginList(list, max_bytes);
   pending = 0;
   int total = OrdersTotal();
   for(int index = 0; index < total; index++)
     {
      ulong ticket = OrderGetTicket(index);
      string type = ticket == 0 ? "" : PendingType(OrderGetInteger(ORDER_TYPE));
      if(type == "") continue;
      pending++;
      if(list.count < MAX_LISTED) AddItem(list, OrderMembers(ticket, type));
     }
   return Member("orders", "[" + list.text + "]");
  }

// All that account.json has of the account, but the deals.
void ReadState(AccountState &state)
  {
   LookAtOffset();
   int digits = (int)AccountInfoInteger(ACCOUNT_CURRENCY_DIGITS);
   long mode = AccountInfoInteger(ACCOUNT_MARGIN_MODE);
   string to = BoolMember("trading_allowed", IsTradingAllowed()) + DeniedMember() + LastTickMember();
   to += TextMember("currency", AccountInfoString(ACCOUNT_CURRENCY));
   to += Member("currency_digits", IntegerToString(digits));
   to += Member("leverage", IntegerToString(AccountInfoInteger(ACCOUNT_LEVERAGE)));
   to += TextMember("margin_mode", mode == ACCOUNT_MARGIN_MODE_RETAIL_HEDGING ? "hedging" : "netting");
   to += MoneyMembers(digits);
   int bytes = 0;
   int pending = 0;
   int positions_total = PositionsTotal();
   string positions = ListPositions(digits, bytes);
   string orders = ListOrders(MAX_STATE_BYTES - bytes, pending);
   to += Member("positions_total", IntegerToString(positions_total)) + Member("orders_total", IntegerToString(pending));
   state.members = to + positions + orders;
   // Last, so that a change of the account meanwhile shows.
   Glance(state);
  }
