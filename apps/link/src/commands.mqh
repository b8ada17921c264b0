// Commands are files. Each is taken by renaming it, which one program can do once, and answered by a file that stays:
//   <id>.json -> (renamed) <id>.begun -> (done) answers/<id>.json, and .begun is removed
// A .begun that is there at the start was under way when the program ended: nobody knows what came of it, so its answer
// says "look first", and it is not done again.

#define MAX_COMMAND_BYTES 4096
#define MAX_PER_LOOK 16
// A broker may be slow. Who the account belongs to, and what it has, is looked at again after so long.
#define TURN_MS 250
#define MAX_ANSWERS 200
#define MAX_KNOWN 1000
// The expert looks for the lock each second. Nobody who has not taken it by then wants it.
#define EXPERT_AWAITED_MS 3000
#define ORDERS_LOCK "Berth\\orders.lock"

int orders_lock = INVALID_HANDLE;
// When the terminal last let this program send nothing; 0 for never.
ulong refused_ms = 0;
// The commands of this run, so that a copy is not done after its answer was taken away.
string known_ids[];
int known_count = 0;

void ReleaseOrders()
  {
   FileClose(orders_lock);
   orders_lock = INVALID_HANDLE;
  }

bool IsId(string id)
  {
   if(StringLen(id) != 36) return false;
   for(int index = 0; index < 36; index++)
     {
      ushort code = StringGetCharacter(id, index);
      bool is_dash = index == 8 || index == 13 || index == 18 || index == 23;
      if(is_dash ? code != '-' : (HexDigit(code) < 0 || (code >= 'A' && code <= 'F'))) return false;
     }
   return true;
  }

bool IsKnown(string id)
  {
   int count = known_count < MAX_KNOWN ? known_count : MAX_KNOWN;
   for(int index = 0; index < count; index++)
      if(known_ids[index] == id) return true;
   return false;
  }

void Remember(string id)
  {
   if(ArraySize(known_ids) < MAX_KNOWN) ArrayResize(known_ids, MAX_KNOWN);
   known_ids[known_count % MAX_KNOWN] = id;
   known_count++;
  }

// The names in a folder with this ending, without it; at most so many.
int ListNames(string folder, string ending, string &names[], int max)
  {
   int count = 0;
   string name = "";
   ArrayResize(names, max);
   long search = FileFindFirst(folder + "*" + ending, name);
   if(search == INVALID_HANDLE) return 0;
   do
     {
      int length = StringLen(name) - StringLen(ending);
      if(length > 0 && StringSubstr(name, length) == ending)
        {
         names[count] = StringSubstr(name, 0, length);
         count++;
        }
     }
   while(count < max && FileFindNext(search, name));
   FileFindClose(search);
   return count;
  }

// The oldest answers go when there are too many.
void TrimAnswers()
  {
   string names[];
   int count = ListNames(ANSWERS_FOLDER, ".json", names, MAX_ANSWERS * 2);
   while(count > MAX_ANSWERS)
     {
      int oldest = 0;
      long oldest_time = 0;
      for(int index = 0; index < count; index++)
        {
         long time = FileGetInteger(ANSWERS_FOLDER + names[index] + ".json", FILE_MODIFY_DATE, false);
         if(index == 0 || time < oldest_time)
           {
            oldest = index;
            oldest_time = time;
           }
        }
      FileDelete(ANSWERS_FOLDER + names[oldest] + ".json");
      names[oldest] = names[count - 1];
      count--;
     }
  }

bool WriteAnswer(string id, TradeAnswer &answer)
  {
   string text = "{\"v\":1" + TextMember("id", id) + TextMember("at", ToIsoTime(NowMs()));
   text += Member("retcode", IntegerToString((long)answer.retcode)) + TextMember("message", answer.message);
   text += TicketMember("order", answer.order) + TicketMember("deal", answer.deal) + "}";
   bool is_written = ReplaceFile(ANSWERS_FOLDER + id + ".json", text);
   if(is_written) TrimAnswers();
   return is_written;
  }

void CarryOut(JsonObject &command, TradeAnswer &answer)
  {
   string action = FindText(command, "action");
   ulong ticket = ToTicket(FindText(command, "ticket"));
   string volume = FindText(command, "volume");
   double size = StringToDouble(volume);
   if(action == "remove_experts") RemoveExperts(answer);
   else if(ticket == 0) Answer(answer, 0, "no ticket");
   else if(action == "delete_order") DeleteOrder(ticket, answer);
   else if(action == "close_by") CloseBy(ticket, ToTicket(FindText(command, "by")), answer);
   else if(action != "close_position") Answer(answer, 0, "unknown action");
   else if(volume != "" && !(size > 0.0)) Answer(answer, 0, "no volume");
   else ClosePosition(ticket, volume == "" ? 0.0 : size, answer);
  }

// Decides and acts. Everything up to CarryOut refuses without doing anything.
void Judge(AccountState &state, string id, string text, bool is_synchronized, TradeAnswer &answer)
  {
   JsonObject command;
   Answer(answer, 0, "");
   if(!ReadJson(text, command) || FindNumber(command, "v", 0) != 1) answer.message = "not understood";
   else if(FindText(command, "id") != id) answer.message = "another id";
   else if(ToTicket(FindText(command, "login")) != state.login || FindText(command, "server") != state.server)
      answer.message = "another account";
   else
     {
      long expires_at = FromIsoTime(FindText(command, "expires_at"));
      if(expires_at < 0) answer.message = "no expiry";
      else if(NowMs() >= expires_at) answer.message = "expired";
      else if(!is_synchronized) Answer(answer, TRADE_RETCODE_CONNECTION, "Not synchronised yet");
      else CarryOut(command, answer);
     }
  }

void TakeCommand(AccountState &state, string id, bool is_synchronized)
  {
   string path = COMMANDS_FOLDER + id + ".json";
   string begun = COMMANDS_FOLDER + id + ".begun";
   if(!IsId(id) || IsKnown(id) || FileIsExist(ANSWERS_FOLDER + id + ".json", 0))
     {
      FileDelete(path);
      return;
     }
   if(!FileMove(path, 0, begun, 0)) return;
   string text = "";
   TradeAnswer answer;
   ReadFile(begun, MAX_COMMAND_BYTES, text);
   Judge(state, id, text, is_synchronized, answer);
   if(answer.is_not_for_us)
     {
      // Nothing was sent. The expert takes it, if there is one.
      if(refused_ms == 0) Print("Berth: ", answer.message);
      refused_ms = SteadyMs();
      FileMove(begun, 0, path, 0);
      ReleaseOrders();
      return;
     }
   Remember(id);
   // Without a written answer the .begun stays, and is answered at the next start.
   if(WriteAnswer(id, answer)) FileDelete(begun);
  }

// What was under way when the last program ended.
void AnswerBegun()
  {
   string ids[];
   int count = ListNames(COMMANDS_FOLDER, ".begun", ids, MAX_ANSWERS);
   for(int index = 0; index < count; index++)
     {
      string begun = COMMANDS_FOLDER + ids[index] + ".begun";
      TradeAnswer answer;
      Answer(answer, TRADE_RETCODE_TIMEOUT, "the program ended meanwhile: look first");
      bool is_answered = !IsId(ids[index]) || FileIsExist(ANSWERS_FOLDER + ids[index] + ".json", 0);
      if(is_answered || WriteAnswer(ids[index], answer)) FileDelete(begun);
     }
  }

void TakeCommands(AccountState &state, bool is_synchronized)
  {
   string ids[];
   ulong began = SteadyMs();
   int count = ListNames(COMMANDS_FOLDER, ".json", ids, MAX_PER_LOOK);
   for(int index = 0; index < count && orders_lock != INVALID_HANDLE && SteadyMs() - began < TURN_MS; index++)
      TakeCommand(state, ids[index], is_synchronized);
  }

// Says of each command that nobody here can carry it out.
void RefuseCommands()
  {
   string ids[];
   TradeAnswer answer;
   Answer(answer, 0, NO_ORDERS);
   int count = ListNames(COMMANDS_FOLDER, ".json", ids, MAX_PER_LOOK);
   for(int index = 0; index < count; index++)
      if(!IsId(ids[index]) || WriteAnswer(ids[index], answer)) FileDelete(COMMANDS_FOLDER + ids[index] + ".json");
  }

// Becomes the program that takes commands, where no other one is.
void TryOrders()
  {
   if(orders_lock != INVALID_HANDLE) return;
   if(refused_ms != 0 && SteadyMs() - refused_ms < EXPERT_AWAITED_MS) return;
   orders_lock = TryLock(ORDERS_LOCK);
   if(orders_lock == INVALID_HANDLE) return;
   AnswerBegun();
   if(refused_ms == 0) return;
   RefuseCommands();
   ReleaseOrders();
  }
