// Whether prices still come: an account whose prices stand still looks fine, and its numbers are old.

#define SECONDS_PER_DAY 86400

string tick_key = "";
long ticked_ms = 0;

bool IsMarketOpen(string symbol)
  {
   if(SymbolInfoInteger(symbol, SYMBOL_TRADE_MODE) == SYMBOL_TRADE_MODE_DISABLED) return false;
   datetime now = TimeTradeServer();
   MqlDateTime parts;
   TimeToStruct(now, parts);
   long second = (long)now % SECONDS_PER_DAY;
   datetime from = 0;
   datetime to = 0;
   for(uint session = 0; session < 100; session++)
     {
      if(!SymbolInfoSessionTrade(symbol, (ENUM_DAY_OF_WEEK)parts.day_of_week, session, from, to)) return false;
      // Times of a day: the date means nothing, and midnight is the end of the day.
      long end = (long)to % SECONDS_PER_DAY;
      if(end == 0) end = SECONDS_PER_DAY;
      if(second >= (long)from % SECONDS_PER_DAY && second < end) return true;
     }
   return false;
  }

// When one of the held symbols whose market is open last had a price, by the clock of "at"; null where there is none. In
// whole seconds, so that the file does not change with each price.
string LastTickMember()
  {
   string names = "|";
   string key = "";
   int total = PositionsTotal();
   for(int index = 0; index < total && index < MAX_LISTED; index++)
     {
      if(PositionGetTicket(index) == 0) continue;
      string symbol = PositionGetString(POSITION_SYMBOL);
      if(StringFind(names, "|" + symbol + "|") >= 0) continue;
      names += symbol + "|";
      if(IsMarketOpen(symbol)) key += symbol + " " + IntegerToString(SymbolInfoInteger(symbol, SYMBOL_TIME_MSC)) + "|";
     }
   if(key != tick_key)
     {
      tick_key = key;
      ticked_ms = NowMs();
     }
   if(key == "") return Member("last_tick_at", "null");
   return TextMember("last_tick_at", ToIsoTime(ticked_ms - ticked_ms % MS_PER_SECOND));
  }
