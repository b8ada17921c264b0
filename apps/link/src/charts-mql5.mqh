// Takes experts away before something is closed: what they would open meanwhile would have to be closed too.

#define OWN_EXPERT "BerthLinkOrders"
#define MAX_CHARTS 100

// Each chart with an expert is saved as a template, which has the expert and its inputs, and closed. The terminal does both
// in their order, a moment later: 0 is the answer when none is left.
void RemoveExperts(TradeAnswer &answer)
  {
   int count = 0;
   long chart = ChartFirst();
   for(int index = 0; index < MAX_CHARTS && chart >= 0; index++)
     {
      // Of a chart that is closed nobody can ask for the next one.
      long next = ChartNext(chart);
      string expert = ChartGetString(chart, CHART_EXPERT_NAME);
      if(expert != "" && expert != OWN_EXPERT)
        {
         count++;
         ChartSaveTemplate(chart, "Berth-" + IntegerToString(chart));
         ChartClose(chart);
        }
      chart = next;
     }
   Answer(answer, TRADE_RETCODE_DONE, IntegerToString(count));
  }
