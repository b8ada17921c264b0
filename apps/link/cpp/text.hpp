/** MQL's `string` and its functions. Texts are UTF-16, as in MetaTrader. */
#ifndef BERTH_LINK_TEXT_HPP
#define BERTH_LINK_TEXT_HPP

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

inline std::u16string fromUtf8(const std::string &bytes) {
  std::u16string to;
  for (size_t at = 0; at < bytes.size();) {
    unsigned char first = static_cast<unsigned char>(bytes[at]);
    size_t more = first < 0x80 ? 0 : first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC2 ? 1 : 9;
    uint32_t code = more == 0 ? first : more == 3 ? first & 7 : more == 2 ? first & 15 : first & 31;
    bool isWhole = more < 9 && at + more < bytes.size();
    for (size_t index = 1; isWhole && index <= more; index++) {
      unsigned char next = static_cast<unsigned char>(bytes[at + index]);
      isWhole = (next & 0xC0) == 0x80;
      code = code << 6 | (next & 63);
    }
    if (!isWhole || code > 0x10FFFF) {
      to += u'\uFFFD';
      at++;
      continue;
    }
    if (code >= 0x10000) {
      to += static_cast<char16_t>(0xD800 + ((code - 0x10000) >> 10));
      to += static_cast<char16_t>(0xDC00 + ((code - 0x10000) & 0x3FF));
    } else {
      to += static_cast<char16_t>(code);
    }
    at += more + 1;
  }
  return to;
}

/** Half a pair of surrogates becomes U+FFFD, as Windows writes it. */
inline std::string toUtf8(const std::u16string &text) {
  std::string to;
  for (size_t at = 0; at < text.size(); at++) {
    uint32_t code = text[at];
    bool isHigh = code >= 0xD800 && code < 0xDC00;
    if (isHigh && at + 1 < text.size() && text[at + 1] >= 0xDC00 && text[at + 1] < 0xE000) {
      code = 0x10000 + ((code - 0xD800) << 10) + (text[++at] - 0xDC00u);
    } else if (code >= 0xD800 && code < 0xE000) {
      code = 0xFFFD;
    }
    if (code < 0x80) {
      to += static_cast<char>(code);
    } else if (code < 0x800) {
      to += static_cast<char>(0xC0 | code >> 6);
      to += static_cast<char>(0x80 | (code & 63));
    } else if (code < 0x10000) {
      to += static_cast<char>(0xE0 | code >> 12);
      to += static_cast<char>(0x80 | (code >> 6 & 63));
      to += static_cast<char>(0x80 | (code & 63));
    } else {
      to += static_cast<char>(0xF0 | code >> 18);
      to += static_cast<char>(0x80 | (code >> 12 & 63));
      to += static_cast<char>(0x80 | (code >> 6 & 63));
      to += static_cast<char>(0x80 | (code & 63));
    }
  }
  return to;
}

class string {
public:
  std::u16string chars;
  string() = default;
  string(const char *utf8) : chars(fromUtf8(utf8)) {}
  string(const std::u16string &text) : chars(text) {}
  string &operator+=(const string &more) {
    chars += more.chars;
    return *this;
  }
  std::string utf8() const { return toUtf8(chars); }
};

inline string operator+(const string &a, const string &b) { return string(a.chars + b.chars); }
inline bool operator==(const string &a, const string &b) { return a.chars == b.chars; }
inline bool operator!=(const string &a, const string &b) { return a.chars != b.chars; }

/** A dynamic array: `uchar bytes[];` in MQL. */
template <class Item> class Array {
public:
  /** A vector of bool has no references to its items. */
  using Stored = std::conditional_t<std::is_same_v<Item, bool>, char, Item>;
  std::vector<Stored> items;
  Stored &operator[](int64_t index) { return items.at(static_cast<size_t>(index)); }
};

template <class Item> int ArraySize(const Array<Item> &array) { return static_cast<int>(array.items.size()); }
template <class Item> int ArrayResize(Array<Item> &array, int size) {
  array.items.resize(static_cast<size_t>(size));
  return size;
}

inline int StringLen(const string &text) { return static_cast<int>(text.chars.size()); }
inline unsigned short StringGetCharacter(const string &text, int at) { return text.chars.at(static_cast<size_t>(at)); }
inline string ShortToString(unsigned short code) { return string(std::u16string(1, static_cast<char16_t>(code))); }
inline string StringSubstr(const string &text, int from, int count = -1) {
  if (from < 0 || from >= StringLen(text)) return string();
  return string(text.chars.substr(static_cast<size_t>(from), count < 0 ? std::u16string::npos : static_cast<size_t>(count)));
}
inline int StringFind(const string &text, const string &part) {
  size_t at = text.chars.find(part.chars);
  return at == std::u16string::npos ? -1 : static_cast<int>(at);
}
inline int64_t StringToInteger(const string &text) { return std::strtoll(text.utf8().c_str(), nullptr, 10); }
inline double StringToDouble(const string &text) { return std::strtod(text.utf8().c_str(), nullptr); }
inline string IntegerToString(int64_t number, int width = 0, unsigned short fill = ' ') {
  std::string digits = std::to_string(number);
  while (static_cast<int>(digits.size()) < width) digits.insert(digits.begin(), static_cast<char>(fill));
  return string(digits.c_str());
}
inline string DoubleToString(double value, int digits) {
  char text[400];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return string(text);
}
template <class... Values> string StringFormat(const char *format, Values... values) {
  char text[400];
  std::snprintf(text, sizeof text, format, values...);
  return string(text);
}

constexpr int CP_UTF8 = 65001;
/** With the zero behind the text, as MQL copies it. */
inline int StringToCharArray(const string &text, Array<unsigned char> &bytes, int, int, int) {
  std::string utf8 = text.utf8();
  bytes.items.assign(utf8.begin(), utf8.end());
  bytes.items.push_back(0);
  return ArraySize(bytes);
}
inline string CharArrayToString(const Array<unsigned char> &bytes, int from, int count, int) {
  std::string utf8(bytes.items.begin() + from, bytes.items.begin() + from + count);
  return string(fromUtf8(utf8.substr(0, utf8.find('\0'))));
}

#endif
