/** What a host tells, as JSON. It is trusted: this reader is for what our own programs write. */
#ifndef BERTH_LINK_JSON_HPP
#define BERTH_LINK_JSON_HPP

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "text.hpp"

class Value {
public:
  /** The text, or the number's digits; "true", "false" and "null" as they are. */
  std::string text;
  bool isText = false;
  std::vector<Value> items;
  std::map<std::string, Value> members;

  static Value parse(const char *json) { return json == nullptr ? Value() : parseAt(json); }

  const Value &operator[](const std::string &name) const {
    static const Value none;
    auto found = members.find(name);
    return found == members.end() ? none : found->second;
  }
  string asText() const { return isText ? string(fromUtf8(text)) : string(); }
  double asNumber() const { return text == "null" ? 0 : std::strtod(text.c_str(), nullptr); }
  long long asInteger() const { return text == "null" ? 0 : std::strtoll(text.c_str(), nullptr, 10); }
  bool isTrue() const { return text == "true"; }
  bool isObject() const { return !members.empty(); }

private:
  static void skip(const char *&at) {
    while (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t' || *at == ',' || *at == ':') at++;
  }

  static std::string parseText(const char *&at) {
    std::u16string to;
    std::string run;
    for (at++; *at != 0 && *at != '"'; at++) {
      if (*at != '\\') {
        run += *at;
        continue;
      }
      to += fromUtf8(run);
      run.clear();
      at++;
      if (*at == 'u') {
        to += static_cast<char16_t>(std::strtol(std::string(at + 1, 4).c_str(), nullptr, 16));
        at += 4;
      } else {
        to += *at == 'n' ? u'\n' : *at == 't' ? u'\t' : *at == 'r' ? u'\r' : static_cast<char16_t>(*at);
      }
    }
    if (*at != 0) at++;
    return toUtf8(to + fromUtf8(run));
  }

  static Value parseAt(const char *&at) {
    Value value;
    skip(at);
    if (*at == '{') {
      for (at++, skip(at); *at == '"'; skip(at)) {
        std::string name = parseText(at);
        value.members[name] = parseAt(at);
      }
      if (*at == '}') at++;
    } else if (*at == '[') {
      for (at++, skip(at); *at != ']' && *at != 0; skip(at)) value.items.push_back(parseAt(at));
      if (*at == ']') at++;
    } else if (*at == '"') {
      value.isText = true;
      value.text = parseText(at);
    } else {
      while (*at != 0 && *at != ',' && *at != '}' && *at != ']' && *at != ' ' && *at != '\n') value.text += *at++;
    }
    return value;
  }
};

/** A text in quotes. */
inline std::string toJson(const string &text) {
  std::string to = "\"";
  for (char each : text.utf8()) {
    if (each == '"' || each == '\\') to += '\\';
    to += each;
  }
  return to + "\"";
}

#endif
