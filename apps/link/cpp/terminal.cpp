#include "terminal.hpp"

namespace {

const LinkHost *host;
Value state;
bool isSeen = false;
int lastError = 0;
int timerMs = 0;

const Value &terminalFacts() { return seen()["terminal"]; }

/** Days since 1970 of a date, by the rules of the calendar. */
int64_t toDays(int64_t year, int64_t month, int64_t day) {
  year -= month <= 2;
  int64_t era = (year >= 0 ? year : year - 399) / 400;
  int64_t yearOfEra = year - era * 400;
  int64_t dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719468;
}

} // namespace

int getTimerMs() { return timerMs; }

void useHost(const LinkHost *given) { host = given; }
const LinkHost *linkHost() { return host; }
void forgetSeen() { isSeen = false; }

const Value &seen() {
  if (!isSeen) {
    char *text = host->look();
    state = Value::parse(text);
    if (text != nullptr) host->release(text);
    isSeen = true;
  }
  return state;
}

const Value &seenAccount() { return seen()["account"]; }

const Value *findSymbol(const string &name) {
  for (const Value &symbol : seen()["symbols"].items) {
    if (symbol["name"].asText() == name) return &symbol;
  }
  return nullptr;
}

int64_t toServerMs(const Value &time) {
  int year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0, ms = 0;
  std::sscanf(time.text.c_str(), "%d-%d-%dT%d:%d:%d.%3d", &year, &month, &day, &hour, &minute, &second, &ms);
  int64_t seconds = toDays(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
  return (seconds + terminalFacts()["server_offset_seconds"].asInteger()) * 1000 + ms;
}

Value askTrade(const std::string &request) {
  char *text = host->trade(request.c_str());
  Value answer = Value::parse(text);
  if (text != nullptr) host->release(text);
  forgetSeen();
  return answer;
}

unsigned int findRefusal() {
  const Value &facts = terminalFacts();
  if (!facts["trade_allowed"].isTrue() || !facts["program_trade_allowed"].isTrue()) return 10027;
  return seenAccount()["trading_allowed"].isTrue() ? 0 : 10026;
}

int64_t TerminalInfoInteger(ENUM_TERMINAL_INFO_INTEGER property) {
  const Value &facts = terminalFacts();
  if (property == TERMINAL_BUILD) return facts["build"].asInteger();
  return facts[property == TERMINAL_CONNECTED ? "connected" : "trade_allowed"].isTrue();
}

int64_t MQLInfoInteger(ENUM_MQL_INFO_INTEGER) { return terminalFacts()["program_trade_allowed"].isTrue(); }

int64_t AccountInfoInteger(ENUM_ACCOUNT_INFO_INTEGER property) {
  const Value &account = seenAccount();
  switch (property) {
    case ACCOUNT_LOGIN: return account["login"].asInteger();
    case ACCOUNT_LEVERAGE: return account["leverage"].asInteger();
    case ACCOUNT_CURRENCY_DIGITS: return account["currency_digits"].asInteger();
    case ACCOUNT_MARGIN_MODE: return account["margin_mode"].text == "hedging" ? 2 : 0;
    // A broker may keep experts out alone.
    case ACCOUNT_TRADE_EXPERT:
      if (!account["experts_allowed"].text.empty()) return account["experts_allowed"].isTrue();
      return account["trading_allowed"].isTrue();
    default: return account["trading_allowed"].isTrue();
  }
}

datetime TimeGMT() { return host->nowMs() / 1000; }
uint64_t GetMicrosecondCount() { return static_cast<uint64_t>(host->steadyMs()) * 1000; }

void TimeToStruct(datetime time, MqlDateTime &parts) {
  parts = MqlDateTime{};
  int64_t days = time / 86400, rest = time % 86400;
  parts.hour = static_cast<int>(rest / 3600);
  parts.min = static_cast<int>(rest / 60 % 60);
  parts.sec = static_cast<int>(rest % 60);
  int year = 1970 + static_cast<int>(days / 366);
  while (toDays(year + 1, 1, 1) <= days) year++;
  int month = 1;
  while (month < 12 && toDays(year, month + 1, 1) <= days) month++;
  parts.year = year;
  parts.mon = month;
  parts.day = static_cast<int>(days - toDays(year, month, 1)) + 1;
}

datetime StructToTime(const MqlDateTime &parts) {
  return toDays(parts.year, parts.mon, parts.day) * 86400 + parts.hour * 3600 + parts.min * 60 + parts.sec;
}

bool EventSetMillisecondTimer(int ms) {
  timerMs = ms;
  return true;
}
void EventKillTimer() { timerMs = 0; }
bool IsStopped() { return host->isStopped() != 0; }
void Sleep(int ms) {
  host->sleep(ms);
  forgetSeen();
}
int GetLastError() { return lastError; }
void ResetLastError() { lastError = 0; }
void setLastError(int error) { lastError = error; }
void printText(const std::string &text) { host->print(text.c_str()); }
