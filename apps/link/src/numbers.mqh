// How sizes and prices become texts.

#define MAX_COMMENT 64

// Without the zeros behind, but with two digits: 0.10, 0.001.
string VolumeText(double volume)
  {
   string text = DoubleToString(volume, 8);
   int length = StringLen(text);
   while(length > 4 && StringGetCharacter(text, length - 1) == '0' && StringGetCharacter(text, length - 3) != '.') length--;
   return StringSubstr(text, 0, length);
  }

// A stop that is not set is 0 to MQL, and null to readers.
string StopMember(string key, double price, int digits)
  {
   if(price == 0.0) return Member(key, "null");
   return AmountMember(key, price, digits);
  }

string ShortComment(string comment) { return StringLen(comment) > MAX_COMMENT ? StringSubstr(comment, 0, MAX_COMMENT) : comment; }

// The bytes of a text in UTF-8.
int Utf8Bytes(string &text)
  {
   int count = 0;
   int length = StringLen(text);
   for(int index = 0; index < length; index++)
     {
      ushort code = StringGetCharacter(text, index);
      count += code < 128 ? 1 : code < 2048 ? 2 : 3;
     }
   return count;
  }
