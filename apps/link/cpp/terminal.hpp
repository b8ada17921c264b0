/** What MQL5 and MQL4 share: the terminal, the program, times, and the host below them. */
#ifndef BERTH_LINK_TERMINAL_HPP
#define BERTH_LINK_TERMINAL_HPP

#include <cmath>
#include <cstdint>

#include "files.hpp"
#include "json.hpp"
#include "text.hpp"

void useHost(const LinkHost *given);
/** The distance of timer events; 0 where there is no timer. */
int getTimerMs();
/** What the terminal knew at the last sleep, or after the last trade. */
const Value &seen();
const Value &seenAccount();
/** Forgets what was seen: the next question looks again. */
void forgetSeen();
const Value *findSymbol(const string &name);
/** Unix milliseconds of an ISO 8601 time, as the server's clock has them. */
int64_t toServerMs(const Value &time);
Value askTrade(const std::string &request);
/** The terminal's own checks before it sends anything; 0 where nothing stands against it. */
unsigned int findRefusal();

typedef int64_t datetime;
struct MqlDateTime {
  int year, mon, day, hour, min, sec, day_of_week, day_of_year;
};

enum ENUM_TERMINAL_INFO_INTEGER { TERMINAL_CONNECTED, TERMINAL_TRADE_ALLOWED, TERMINAL_BUILD };
enum ENUM_MQL_INFO_INTEGER { MQL_TRADE_ALLOWED };
enum ENUM_ACCOUNT_INFO_INTEGER {
  ACCOUNT_LOGIN,
  ACCOUNT_LEVERAGE,
  ACCOUNT_CURRENCY_DIGITS,
  ACCOUNT_MARGIN_MODE,
  ACCOUNT_TRADE_ALLOWED,
  ACCOUNT_TRADE_EXPERT
};
enum ENUM_INIT_RETCODE { INIT_SUCCEEDED = 0, INIT_FAILED = 1 };
constexpr int ERR_FUNCTION_NOT_ALLOWED = 4014;

int64_t TerminalInfoInteger(ENUM_TERMINAL_INFO_INTEGER property);
int64_t MQLInfoInteger(ENUM_MQL_INFO_INTEGER property);
int64_t AccountInfoInteger(ENUM_ACCOUNT_INFO_INTEGER property);
datetime TimeGMT();
uint64_t GetMicrosecondCount();
void TimeToStruct(datetime time, MqlDateTime &parts);
datetime StructToTime(const MqlDateTime &parts);
bool EventSetMillisecondTimer(int ms);
void EventKillTimer();
bool IsStopped();
void Sleep(int ms);
int GetLastError();
void ResetLastError();
void setLastError(int error);
void printText(const std::string &text);

inline bool MathIsValidNumber(double value) { return std::isfinite(value); }
inline double MathAbs(double value) { return std::fabs(value); }
inline double MathRound(double value) { return std::round(value); }
template <class Thing> void ZeroMemory(Thing &thing) { thing = Thing{}; }

inline std::string toPrinted(const string &text) { return text.utf8(); }
template <class... Values> void Print(const Values &...values) { printText((toPrinted(string(values)) + ...)); }

#endif
