// Berth's link program, as an expert of MetaTrader 4, which has no services: docs/platforms/link.md
#property copyright "The authors of Berth, Apache-2.0"
#property version   "1.00"
#property description "Tells Berth what the account has, and closes what Berth asks for. Stays in MQL4/Files/Berth."
#property strict

#include "version.mqh"
#include "clock.mqh"
#include "json.mqh"
#include "files.mqh"
#include "numbers.mqh"
#include "state.mqh"
#include "read-mql4.mqh"
#include "trade-mql4.mqh"
#include "deals-mql4.mqh"
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

