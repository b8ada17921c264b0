/**
 * The link program on a machine of its own, for tests: what the terminal knows comes in lines of stdin, time passes only
 * when it is told to, and what the program does goes to stdout. `link-native <folder of files> <Unix milliseconds>`
 *
 *   look {"terminal": …}    what the terminal knows from now on      deal {…}     one more deal of the history
 *   answer {"retcode": …}   of the next trade                         die          at the next trade, before its answer
 *   slow <ms>               how long each trade takes from now on      clock <ms>   sets the machine's clock forward, or back
 *   run <ms>                lets time pass, then says "ran"           stop         ends the program
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iostream>
#include <string>
#include <vector>

#include "host.h"
#include "json.hpp"

extern "C" int runLink(const LinkHost *host);

namespace {

long long beganMs = 0, nowMs = 0, untilMs = 0, clockAheadMs = 0, slowMs = 0;
bool isStopped = false, dies = false;
std::string known = "{}";
std::vector<std::pair<long long, std::string>> deals;
std::deque<std::string> answers;

char *copy(const std::string &text) {
  char *to = static_cast<char *>(std::malloc(text.size() + 1));
  std::memcpy(to, text.c_str(), text.size() + 1);
  return to;
}

void takeLine(const std::string &line) {
  size_t blank = line.find(' ');
  std::string word = line.substr(0, blank);
  std::string rest = blank == std::string::npos ? "" : line.substr(blank + 1);
  if (word == "look") known = rest;
  if (word == "answer") answers.push_back(rest);
  if (word == "deal") deals.emplace_back(Value::parse(rest.c_str())["ticket"].asInteger(), rest);
  if (word == "die") dies = true;
  if (word == "slow") slowMs = std::atoll(rest.c_str());
  if (word == "clock") clockAheadMs += std::atoll(rest.c_str());
  if (word == "stop") isStopped = true;
  if (word == "run") untilMs = nowMs + std::atoll(rest.c_str());
}

/** Time stands still until the next "run". */
void passTime(int ms) {
  nowMs += ms;
  std::string line;
  if (nowMs < untilMs) return;
  std::cout << "ran" << std::endl;
  while (nowMs >= untilMs && !isStopped) {
    if (std::getline(std::cin, line)) takeLine(line);
    else isStopped = true;
  }
}

char *look() { return copy(known); }

char *listDeals(const char *after) {
  long long cursor = std::atoll(after);
  std::string list;
  for (const auto &deal : deals) {
    if (deal.first > cursor) list += (list.empty() ? "" : ",") + deal.second;
  }
  return copy("{\"is_complete\":true,\"deals\":[" + list + "]}");
}

char *trade(const char *request) {
  std::cout << "trade " << request << std::endl;
  if (dies) std::_Exit(9);
  nowMs += slowMs;
  if (answers.empty()) return nullptr;
  std::string answer = answers.front();
  answers.pop_front();
  return copy(answer);
}

void release(char *text) { std::free(text); }
int hasStopped() { return isStopped; }
void print(const char *text) { std::cout << "print " << text << std::endl; }
long long now() { return beganMs + nowMs + clockAheadMs; }
long long steady() { return 1000 + nowMs; }
void trace(const char *step) { std::cout << "file " << step << std::endl; }
void changeChart(const char *what) { std::cout << "chart " << what << std::endl; }

} // namespace

int main(int count, char **words) {
  if (count != 3) return 2;
  beganMs = std::atoll(words[2]);
  LinkHost host = {words[1], look, listDeals, trade, release, hasStopped, passTime, print, now, steady, trace, changeChart};
  passTime(0);
  return isStopped ? 0 : runLink(&host);
}
