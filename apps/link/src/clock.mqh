// UTC with milliseconds, and times as texts. MQL's own clocks count seconds, and trades carry the server's time.

#define MS_PER_SECOND 1000
// A server's time zone is a multiple of this, and never further away than the second line says.
#define OFFSET_STEP_SECONDS 900
#define MAX_OFFSET_SECONDS 50400

long clock_second = 0;
ulong clock_second_began = 0;

// Never goes back or jumps, whatever happens to the clock of the machine.
ulong SteadyMs() { return GetMicrosecondCount() / 1000; }

// UTC. The milliseconds are those since the second was seen to change.
long NowMs()
  {
   long second = (long)TimeGMT();
   ulong steady = SteadyMs();
   if(second != clock_second)
     {
      clock_second = second;
      clock_second_began = steady;
     }
   ulong passed = steady - clock_second_began;
   if(passed >= MS_PER_SECOND) passed = MS_PER_SECOND - 1;
   return second * MS_PER_SECOND + (long)passed;
  }

// What has to be taken from a server's time to get UTC.
long ToOffsetSeconds(long server_seconds)
  {
   long offset = server_seconds - (long)TimeGMT();
   long steps = (long)MathRound((double)offset / OFFSET_STEP_SECONDS);
   offset = steps * OFFSET_STEP_SECONDS;
   if(offset > MAX_OFFSET_SECONDS || offset < -MAX_OFFSET_SECONDS) return 0;
   return offset;
  }

string Padded(long number, int width) { return IntegerToString(number, width, '0'); }

string ToIsoTime(long utc_ms)
  {
   if(utc_ms < 0) utc_ms = 0;
   MqlDateTime parts;
   TimeToStruct((datetime)(utc_ms / MS_PER_SECOND), parts);
   string text = Padded(parts.year, 4) + "-" + Padded(parts.mon, 2) + "-" + Padded(parts.day, 2);
   text += "T" + Padded(parts.hour, 2) + ":" + Padded(parts.min, 2) + ":" + Padded(parts.sec, 2);
   return text + "." + Padded(utc_ms % MS_PER_SECOND, 3) + "Z";
  }

int DigitsAt(string text, int at, int count)
  {
   int number = 0;
   for(int index = at; index < at + count; index++)
     {
      int digit = (int)StringGetCharacter(text, index) - '0';
      if(digit < 0 || digit > 9) return -1;
      number = number * 10 + digit;
     }
   return number;
  }

// Milliseconds of "2026-11-27T07:30:00.000Z"; -1 for any other form.
long FromIsoTime(string text)
  {
   if(StringLen(text) != 24) return -1;
   string marks = StringSubstr(text, 4, 1) + StringSubstr(text, 7, 1) + StringSubstr(text, 10, 1);
   marks += StringSubstr(text, 13, 1) + StringSubstr(text, 16, 1) + StringSubstr(text, 19, 1) + StringSubstr(text, 23, 1);
   if(marks != "--T::.Z") return -1;
   MqlDateTime parts;
   ZeroMemory(parts);
   parts.year = DigitsAt(text, 0, 4);
   parts.mon = DigitsAt(text, 5, 2);
   parts.day = DigitsAt(text, 8, 2);
   parts.hour = DigitsAt(text, 11, 2);
   parts.min = DigitsAt(text, 14, 2);
   parts.sec = DigitsAt(text, 17, 2);
   int ms = DigitsAt(text, 20, 3);
   if(parts.year < 1970 || parts.mon < 1 || parts.mon > 12 || parts.day < 1 || parts.day > 31) return -1;
   if(parts.hour < 0 || parts.hour > 23 || parts.min < 0 || parts.min > 59 || parts.sec < 0 || parts.sec > 59) return -1;
   if(ms < 0) return -1;
   return (long)StructToTime(parts) * MS_PER_SECOND + ms;
  }
