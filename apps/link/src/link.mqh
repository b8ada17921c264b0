// The step of the link program, ten times a second: look, publish what changed, take commands.

#define STEP_MS 100
// Changes of prices are published no more often than the first, those of a trade no more often than the second, and
// something at least as often as the third.
#define PUBLISH_MS 250
#define AT_ONCE_MS 50
#define HEARTBEAT_MS 5000
// How long the connection must stand, and nothing be traded, until the account counts as synchronised: MQL does not say.
#define SETTLE_MS 2000
#define LOCK_LOOK_MS 1000
#define ACCOUNT_FILE "Berth\\account.json"
#define PUBLISHER_LOCK "Berth\\publisher.lock"
#define MAX_ACCOUNT_BYTES 262144

string link_kind = "";
// A service is the one that publishes; an expert does where there is none.
int publisher_lock = INVALID_HANDLE;
ulong lock_looked_ms = 0;
long sequence = 0;
string published_members = "";
string published_key = "";
ulong published_ms = 0;
ulong read_ms = 0;
AccountState link_state;
string account_key = "";
string settled_key = "";
ulong settled_since_ms = 0;
bool is_synchronized = false;

// Numbers go on over restarts, so that a reader knows old from new.
void SeedSequence()
  {
   string text = "";
   if(!ReadFile(ACCOUNT_FILE, MAX_ACCOUNT_BYTES, text)) return;
   // The file has lists, which are not read here.
   int at = StringFind(text, "\"sequence\":");
   if(at < 0 || at > 200) return;
   long last = StringToInteger(StringSubstr(text, at + 11, 15));
   if(last > sequence && last < 1000000000000) sequence = last;
  }

void BeginLink(string kind)
  {
   link_kind = kind;
   EnsureFolders();
   Print("Berth link ", LINK_VERSION, " (", kind, ") runs");
  }

// The locks are looked at now and then while another program has them.
void LookAtLocks()
  {
   ulong now = SteadyMs();
   if(lock_looked_ms != 0 && now - lock_looked_ms < LOCK_LOOK_MS) return;
   lock_looked_ms = now;
   if(publisher_lock == INVALID_HANDLE)
     {
      publisher_lock = TryLock(PUBLISHER_LOCK);
      if(publisher_lock != INVALID_HANDLE) SeedSequence();
     }
   TryOrders();
  }

string ToAccountKey() { return IntegerToString((long)link_state.login) + " " + link_state.server; }

// Whose account it is, and since when nothing has changed in it.
void LookAtAccount()
  {
   Glance(link_state);
   string account = ToAccountKey();
   if(account != account_key)
     {
      account_key = account;
      published_members = "";
      ForgetHistory();
     }
   else if(link_state.is_connected && is_synchronized) return;
   is_synchronized = false;
   // An account that is being loaded grows: what it has must stand still for a while.
   string key = link_state.is_connected ? account + " " + link_state.quick_key : "";
   ulong now = SteadyMs();
   if(key != settled_key)
     {
      settled_key = key;
      settled_since_ms = now;
     }
   is_synchronized = key != "" && now - settled_since_ms >= SETTLE_MS;
  }

// All that a reader waits for, without what changes each time.
string ToMembersKey()
  {
   string flags = is_synchronized ? "synchronized" : "";
   if(link_state.is_connected) flags += " connected";
   return link_state.members + HistoryMembers() + flags;
  }

void WriteState()
  {
   string text = "{\"v\":1" + TextMember("program", LINK_VERSION) + TextMember("kind", link_kind);
   text += Member("sequence", IntegerToString(sequence + 1)) + TextMember("at", ToIsoTime(NowMs()));
   text += TextMember("login", IntegerToString((long)link_state.login)) + TextMember("server", link_state.server);
   text += Member("build", IntegerToString(TerminalInfoInteger(TERMINAL_BUILD)));
   text += BoolMember("connected", link_state.is_connected);
   text += BoolMember("is_synchronized", is_synchronized) + link_state.members + HistoryMembers() + "}";
   // A file that could not be written is tried again at the next step, under the same number.
   if(!ReplaceFile(ACCOUNT_FILE, text)) return;
   sequence++;
   published_ms = SteadyMs();
   published_key = link_state.quick_key;
   published_members = ToMembersKey();
  }

void Publish()
  {
   ulong now = SteadyMs();
   bool is_first = published_members == "";
   bool has_traded = link_state.quick_key != published_key;
   bool is_late = now - published_ms >= HEARTBEAT_MS;
   if(published_ms != 0 && now - published_ms < AT_ONCE_MS) return;
   if(!is_first && !has_traded && !is_late && now - read_ms < PUBLISH_MS) return;
   read_ms = now;
   // Deals first: a balance may contain one that is not known yet, and never lacks one that is.
   if(is_synchronized) LookAtHistory(link_state.quick_key);
   ReadState(link_state);
   // Half of one account and half of another.
   if(ToAccountKey() != account_key) return;
   string members = ToMembersKey();
   if(is_first || has_traded || is_late || members != published_members) WriteState();
   if(is_synchronized) PublishDeals(link_state, sequence);
  }

void StepLink()
  {
   LookAtLocks();
   LookAtAccount();
   // Before the numbers: what is to be closed must not wait for them.
   if(orders_lock != INVALID_HANDLE) TakeCommands(link_state, is_synchronized);
   if(publisher_lock != INVALID_HANDLE) Publish();
  }
