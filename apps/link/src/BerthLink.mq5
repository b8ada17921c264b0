// Berth's link program, as a service of MetaTrader 5: docs/platforms/link.md.
#property service
#property copyright "The authors of Berth, Apache-2.0"
#property version   "1.00"
#property description "Tells Berth what the account has, and closes what Berth asks for. Stays in MQL5/Files/Berth."

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

void OnStart()
  {
   BeginLink("service");
   while(!IsStopped())
     {
      StepLink();
      Sleep(STEP_MS);
     }
  }
