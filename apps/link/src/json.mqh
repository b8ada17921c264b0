// The JSON of the exchange folder. Written: texts and amounts. Read: one flat object, as commands and requests are.

#define MAX_JSON_MEMBERS 32

string JsonText(string text)
  {
   string to = "\"";
   int length = StringLen(text);
   for(int index = 0; index < length; index++)
     {
      ushort code = StringGetCharacter(text, index);
      if(code == '"' || code == '\\') to += "\\" + ShortToString(code);
      else if(code < 32) to += "\\u00" + StringFormat("%02x", (int)code);
      else to += ShortToString(code);
     }
   return to + "\"";
  }

// A member with its comma; the first of an object has none before it.
string Member(string key, string value) { return ",\"" + key + "\":" + value; }
string TextMember(string key, string text) { return Member(key, JsonText(text)); }

// What is not a number, or beyond all money, is null: the reader refuses it, instead of believing it.
string AmountMember(string key, double value, int digits)
  {
   if(!MathIsValidNumber(value) || MathAbs(value) >= 1000000000000000.0) return Member(key, "null");
   return TextMember(key, DoubleToString(value, digits));
  }

string TicketMember(string key, ulong ticket)
  {
   if(ticket == 0) return Member(key, "null");
   return TextMember(key, IntegerToString((long)ticket));
  }

string BoolMember(string key, bool is_true) { return Member(key, is_true ? "true" : "false"); }

// One flat object: names and values of texts, numbers, booleans and nulls (as "null").
struct JsonObject
  {
   string names[];
   string values[];
   bool is_text[];
   int count;
  };

int json_at = 0;

ushort CodeAt(string &text) { return json_at < StringLen(text) ? StringGetCharacter(text, json_at) : (ushort)0; }

void SkipBlanks(string &text)
  {
   while(CodeAt(text) == ' ' || CodeAt(text) == '\t' || CodeAt(text) == '\r' || CodeAt(text) == '\n') json_at++;
  }

int HexDigit(ushort code)
  {
   if(code >= '0' && code <= '9') return (int)code - '0';
   if(code >= 'a' && code <= 'f') return (int)code - 'a' + 10;
   if(code >= 'A' && code <= 'F') return (int)code - 'A' + 10;
   return -1;
  }

bool ReadEscape(string &text, string &to)
  {
   ushort code = CodeAt(text);
   json_at++;
   if(code == '"' || code == '\\' || code == '/') to += ShortToString(code);
   else if(code == 'n') to += "\n";
   else if(code == 't') to += "\t";
   else if(code == 'r') to += "\r";
   else if(code == 'u')
     {
      int number = 0;
      for(int count = 0; count < 4; count++)
        {
         int digit = HexDigit(CodeAt(text));
         if(digit < 0) return false;
         number = number * 16 + digit;
         json_at++;
        }
      if(number == 0) return false;
      to += ShortToString((ushort)number);
     }
   else return false;
   return true;
  }

bool ReadText(string &text, string &to)
  {
   to = "";
   if(CodeAt(text) != '"') return false;
   json_at++;
   while(json_at < StringLen(text))
     {
      ushort code = CodeAt(text);
      json_at++;
      if(code == '"') return true;
      if(code < 32) return false;
      if(code != '\\') to += ShortToString(code);
      else if(!ReadEscape(text, to)) return false;
     }
   return false;
  }

bool ReadPlain(string &text, string &to)
  {
   to = "";
   while(json_at < StringLen(text) && StringLen(to) < 32)
     {
      ushort code = CodeAt(text);
      bool is_word = (code >= 'a' && code <= 'z') || (code >= '0' && code <= '9') || code == '-' || code == '.';
      if(!is_word) break;
      to += ShortToString(code);
      json_at++;
     }
   return StringLen(to) > 0;
  }

// False for anything but one whole flat object; objects and lists in it are not read.
bool ReadJson(string &text, JsonObject &json)
  {
   json.count = 0;
   ArrayResize(json.names, MAX_JSON_MEMBERS);
   ArrayResize(json.values, MAX_JSON_MEMBERS);
   ArrayResize(json.is_text, MAX_JSON_MEMBERS);
   json_at = 0;
   SkipBlanks(text);
   if(CodeAt(text) != '{') return false;
   json_at++;
   SkipBlanks(text);
   while(CodeAt(text) != '}')
     {
      string name = "";
      string value = "";
      if(json.count == MAX_JSON_MEMBERS || !ReadText(text, name)) return false;
      SkipBlanks(text);
      if(CodeAt(text) != ':') return false;
      json_at++;
      SkipBlanks(text);
      bool is_text = CodeAt(text) == '"';
      if(is_text ? !ReadText(text, value) : !ReadPlain(text, value)) return false;
      json.names[json.count] = name;
      json.values[json.count] = value;
      json.is_text[json.count] = is_text;
      json.count++;
      SkipBlanks(text);
      if(CodeAt(text) != ',') break;
      json_at++;
      SkipBlanks(text);
      if(CodeAt(text) != '"') return false;
     }
   if(CodeAt(text) != '}') return false;
   json_at++;
   SkipBlanks(text);
   return json_at == StringLen(text);
  }

// A text; "" where there is none of this name, or it is no text.
string FindText(JsonObject &json, string name)
  {
   for(int index = 0; index < json.count; index++)
      if(json.names[index] == name && json.is_text[index]) return json.values[index];
   return "";
  }

// A number that is no text; the other value where there is none.
long FindNumber(JsonObject &json, string name, long otherwise)
  {
   for(int index = 0; index < json.count; index++)
      if(json.names[index] == name && !json.is_text[index]) return StringToInteger(json.values[index]);
   return otherwise;
  }

// A whole positive number of digits alone, as tickets are; 0 for anything else.
ulong ToTicket(string text)
  {
   int length = StringLen(text);
   if(length == 0 || length > 18) return 0;
   for(int index = 0; index < length; index++)
     {
      ushort code = StringGetCharacter(text, index);
      if(code < '0' || code > '9') return 0;
     }
   return (ulong)StringToInteger(text);
  }
