// Berth's link program, as an expert of MetaTrader 5: for terminals that let no service send orders. It publishes where no
// service does. docs/platforms/link.md
#property copyright "The authors of Berth, Apache-2.0"
#property version   "1.00"
#property description "Closes what Berth asks for. Stays in MQL5/Files/Berth."

#include "version.mqh"
#include "clock.mqh"
#include "json.mqh"
#include "files.mqh"
#include "numbers.mqh"
#include "state.mqh"
#include "ticks-mql5.mqh"
#include "read-mql5.mqh"
#include "trade-mql5.mqh"
#include "charts-mql5.mqh"
#include "deals-mql5.mqh"
#include "commands.mqh"
#include "link.mqh"

int OnInit()
  {
   BeginLink("expert");
   return EventSetMillisecondTimer(STEP_MS) ? INIT_SUCCEEDED : INIT_FAILED;
  }

void OnDeinit(const int reason)
  {
   EventKillTimer();
   if(publisher_lock != INVALID_HANDLE) FileClose(publisher_lock);
   publisher_lock = INVALID_HANDLE;
   if(orders_lock != INVALID_HANDLE) ReleaseOrders();
  }

void OnTimer() { StepLink(); }

// Only a hint to look sooner: MQL promises neither its order nor that it comes.
void OnTradeTransaction(const MqlTradeTransaction &transaction, const MqlTradeRequest &request, const MqlTradeResult &result)
  {
   StepLink();
  }
