#include "terminal.h"

static wchar_t path[MAX_NAME];

static int readNumber(const wchar_t *key, int fallback) {
  return (int)GetPrivateProfileIntW(L"faults", key, fallback, path);
}

void readFaults(void) {
  Faults *faults = &app.faults;
  joinPath(path, app.folder, L"berth-faults.ini");
  faults->hang = readNumber(L"hang", 0) == 1;
  faults->windowless = readNumber(L"windowless", 0) == 1;
  faults->wipeAccounts = readNumber(L"wipe_accounts", 0) == 1;
  faults->wizard = readNumber(L"wizard", 0) == 1;
  faults->liveUpdateDialog = readNumber(L"live_update_dialog", 0) == 1;
  faults->switchLine = readNumber(L"switch_line", 0) == 1;
  faults->exitsWithoutAccount = readNumber(L"exits_without_account", 0) == 1;
  faults->refusesServices = readNumber(L"refuses_services", 0) == 1;
  faults->compileMs = readNumber(L"compile_ms", 0);
  faults->startDelayMs = readNumber(L"start_delay_ms", 0);
  faults->crashAfterMs = readNumber(L"crash_after_ms", 0);
  faults->liveUpdateAfterMs = readNumber(L"live_update_after_ms", 0);
  faults->restartMs = readNumber(L"restart_ms", 10000);
  faults->flushMs = readNumber(L"flush_ms", 20);
  faults->symbolTimeoutMs = readNumber(L"symbol_timeout_ms", 300000);
  faults->pingEveryMs = readNumber(L"ping_every_ms", 30000);
  faults->stopDelayMs = readNumber(L"stop_delay_ms", 0);
  faults->dialogAfterMs = readNumber(L"dialog_after_ms", 0);
  faults->expertLineAfterMs = readNumber(L"expert_line_after_ms", 0);
  faults->expertLineLevel = readNumber(L"expert_line_level", 0);
  faults->expertFails = readNumber(L"expert_fails", 0) == 1;
  faults->expertRemovedAfterMs = readNumber(L"expert_removed_after_ms", 0);
  GetPrivateProfileStringW(L"faults", L"expert_line", L"", faults->expertLine, MAX_NAME, path);
  GetPrivateProfileStringW(L"faults", L"dialog_title", L"", faults->dialogTitle, 128, path);
  GetPrivateProfileStringW(L"faults", L"dialog_text", L"", faults->dialogText, MAX_NAME, path);
}
