// One look at the account, as account.json has it. Who reads the account of MetaTrader 5 or 4 fills it in.

// A reader takes 256 KiB. Positions may fill the first part of that, orders what is left.
#define MAX_LISTED 1000
#define MAX_POSITION_BYTES 200000
#define MAX_STATE_BYTES 250000

struct AccountState
  {
   ulong login;
   string server;
   bool is_connected;
   // What shows a trade at little cost: totals, balance, credit.
   string quick_key;
   // Members of account.json from the currency on, each with a comma before it.
   string members;
  };

// A list that grows as long as it fits; what did not is only in the totals.
struct JsonList
  {
   string text;
   int count;
   int bytes;
   int max_bytes;
  };

void BeginList(JsonList &list, int max_bytes)
  {
   list.text = "";
   list.count = 0;
   list.bytes = 0;
   list.max_bytes = max_bytes;
  }

// The item's members, the first with a comma before it too.
void AddItem(JsonList &list, string members)
  {
   int bytes = Utf8Bytes(members) + 2;
   if(list.count >= MAX_LISTED || list.bytes + bytes > list.max_bytes) return;
   if(list.count > 0) list.text += ",";
   list.text += "{" + StringSubstr(members, 1) + "}";
   list.count++;
   list.bytes += bytes;
  }

// To a terminal that lets this program send nothing.
#define NO_ORDERS "this terminal lets no service send orders: put the expert BerthLinkOrders on a chart"

// What stands against orders, so that nobody learns it from the first one that is refused.
string DeniedMember()
  {
   string list = "";
   // Without the terminal's permission no program has one.
   if(TerminalInfoInteger(TERMINAL_TRADE_ALLOWED) == 0) list += ",\"terminal\"";
   else if(MQLInfoInteger(MQL_TRADE_ALLOWED) == 0) list += ",\"expert\"";
   if(AccountInfoInteger(ACCOUNT_TRADE_EXPERT) == 0) list += ",\"broker\"";
   // The password of an investor, or an account that is closed for trading.
   if(AccountInfoInteger(ACCOUNT_TRADE_ALLOWED) == 0) list += ",\"password\"";
   return Member("trade_denied_by", "[" + StringSubstr(list, 1) + "]");
  }
