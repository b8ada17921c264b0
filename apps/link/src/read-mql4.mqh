// Reads the account of MetaTrader 4, where positions and pending orders are both orders, told apart by their type.

long offset_seconds = 0;
datetime last_tick = 0;

// MetaTrader 4 tells the server's time with each tick alone, so only a fresh one is compared with ours.
void LookAtOffset()
  {
   datetime now = TimeCurrent();
   if(now == 0 || now == last_tick) return;
   last_tick = now;
   offset_seconds = ToOffsetSeconds((long)now);
  }
long ToUtcMs(long server_ms) { return server_ms - offset_seconds * MS_PER_SECOND; }

int SymbolDigits(string symbol)
  {
   int digits = (int)MarketInfo(symbol, MODE_DIGITS);
   return digits > 0 && digits <= 8 ? digits : 5;
  }

bool IsPosition(int type) { return type == OP_BUY || type == OP_SELL; }

// "" for what is no pending order: a position, a deposit, a credit.
string PendingType(int type)
  {
   if(type == OP_BUYLIMIT) return "buy_limit";
   if(type == OP_SELLLIMIT) return "sell_limit";
   if(type == OP_BUYSTOP) return "buy_stop";
   return type == OP_SELLSTOP ? "sell_stop" : "";
  }

// Of the selected order: what positions and pending orders both have behind their prices.
string CommonMembers(int digits)
  {
   return StopMember("stop_loss", OrderStopLoss(), digits) + StopMember("take_profit", OrderTakeProfit(), digits);
  }

string TailMembers()
  {
   return TextMember("magic", IntegerToString(OrderMagicNumber())) + TextMember("comment", ShortComment(OrderComment()));
  }

string PositionMembers(int currency_digits)
  {
   int digits = SymbolDigits(OrderSymbol());
   string to = TicketMember("ticket", (ulong)OrderTicket()) + TextMember("symbol", OrderSymbol());
   to += TextMember("side", OrderType() == OP_BUY ? "buy" : "sell") + TextMember("volume", VolumeText(OrderLots()));
   to += AmountMember("open_price", OrderOpenPrice(), digits) + AmountMember("price", OrderClosePrice(), digits);
   // MetaTrader 4 charges the commission at the opening, and counts it in the profit of the account.
   to += CommonMembers(digits) + AmountMember("swap", OrderSwap(), currency_digits);
   to += AmountMember("profit", OrderProfit() + OrderCommission(), currency_digits) + TailMembers();
   return to + TextMember("opened_at", ToIsoTime(ToUtcMs((long)OrderOpenTime() * MS_PER_SECOND)));
  }

string OrderMembers(string type)
  {
   int digits = SymbolDigits(OrderSymbol());
   string to = TicketMember("ticket", (ulong)OrderTicket()) + TextMember("symbol", OrderSymbol());
   to += TextMember("type", type) + TextMember("volume", VolumeText(OrderLots()));
   to += AmountMember("price", OrderOpenPrice(), digits) + CommonMembers(digits) + TailMembers();
   return to + TextMember("placed_at", ToIsoTime(ToUtcMs((long)OrderOpenTime() * MS_PER_SECOND)));
  }

bool IsTradingAllowed()
  {
   return TerminalInfoInteger(TERMINAL_TRADE_ALLOWED) != 0 && MQLInfoInteger(MQL_TRADE_ALLOWED) != 0 &&
          AccountInfoInteger(ACCOUNT_TRADE_ALLOWED) != 0 && AccountInfoInteger(ACCOUNT_TRADE_EXPERT) != 0;
  }

string MoneyMembers(int digits)
  {
   string to = AmountMember("balance", AccountBalance(), digits) + AmountMember("credit", AccountCredit(), digits);
   to += AmountMember("equity", AccountEquity(), digits) + AmountMember("profit", AccountProfit(), digits);
   to += AmountMember("margin", AccountMargin(), digits) + AmountMember("free_margin", AccountFreeMargin(), digits);
   if(AccountMargin() == 0.0) return to + Member("margin_level", "null");
   return to + AmountMember("margin_level", AccountEquity() / AccountMargin() * 100.0, 2);
  }

void Glance(AccountState &state)
  {
   state.login = (ulong)AccountNumber();
   state.server = AccountServer();
   state.is_connected = IsConnected() && state.login != 0;
   string key = IntegerToString(OrdersTotal()) + " " + DoubleToString(AccountBalance(), 8);
   state.quick_key = key + " " + DoubleToString(AccountCredit(), 8);
  }

void ReadState(AccountState &state)
  {
   LookAtOffset();
   // MetaTrader 4 has no function for them: it counts with two digits.
   int digits = 2;
   JsonList positions;
   JsonList orders;
   BeginList(positions, MAX_POSITION_BYTES);
   BeginList(orders, MAX_STATE_BYTES - MAX_POSITION_BYTES);
   int open = 0;
   int pending = 0;
   int total = OrdersTotal();
   for(int index = 0; index < total; index++)
     {
      if(!OrderSelect(index, SELECT_BY_POS, MODE_TRADES)) continue;
      string type = PendingType(OrderType());
      if(IsPosition(OrderType()))
        {
         open++;
         AddItem(positions, PositionMembers(digits));
        }
      else if(type != "")
        {
         pending++;
         AddItem(orders, OrderMembers(type));
        }
     }
   string to = BoolMember("trading_allowed", IsTradingAllowed()) + DeniedMember() + TextMember("currency", AccountCurrency());
   to += Member("currency_digits", IntegerToString(digits)) + Member("leverage", IntegerToString(AccountLeverage()));
   to += TextMember("margin_mode", "hedging") + MoneyMembers(digits);
   to += Member("positions_total", IntegerToString(open)) + Member("orders_total", IntegerToString(pending));
   state.members = to + Member("positions", "[" + positions.text + "]") + Member("orders", "[" + orders.text + "]");
   // Last, so that a change of the account meanwhile shows.
   Glance(state);
  }
