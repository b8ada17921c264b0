/** The link program itself: its MQL source, behind the names that MQL gives to types. script/build-link names the source. */
#ifdef LINK_MQL4
#include "mql4.hpp"
#else
#include "mql5.hpp"
#endif

#define uchar unsigned char
#define ushort unsigned short
#define uint unsigned int
#define ulong uint64_t
// MQL's has 64 bit everywhere.
#define long int64_t

#include LINK_SOURCE

#undef long

#ifdef _WIN32
#define EXPORTED __declspec(dllexport)
#else
#define EXPORTED
#endif

extern "C" EXPORTED int runLink(const LinkHost *host) {
  useHost(host);
#ifdef LINK_EXPERT
  if (OnInit() != INIT_SUCCEEDED) return 1;
  while (!IsStopped()) {
    OnTimer();
    Sleep(getTimerMs());
  }
  OnDeinit(0);
#else
  OnStart();
#endif
  return 0;
}
