#include "messages.h"
#include "operations.h"

#define MAX_INPUTS 16
#define FOREGROUND_MS 1000
#define FOREGROUND_STEP_MS 10

static const struct {
  const wchar_t *name;
  WORD key;
} named[] = {
    {L"ctrl", VK_CONTROL}, {L"alt", VK_MENU},    {L"shift", VK_SHIFT}, {L"enter", VK_RETURN}, {L"esc", VK_ESCAPE},
    {L"tab", VK_TAB},      {L"space", VK_SPACE}, {L"up", VK_UP},       {L"down", VK_DOWN},    {L"left", VK_LEFT},
    {L"right", VK_RIGHT},  {L"home", VK_HOME},   {L"end", VK_END},     {L"delete", VK_DELETE}, {L"back", VK_BACK},
};

/** The key of a name: one of the table, f1 to f12, a letter or a digit. 0 for anything else. */
static WORD findKey(const wchar_t *name, size_t length) {
  for (size_t index = 0; index < sizeof named / sizeof named[0]; index++) {
    if (wcslen(named[index].name) == length && _wcsnicmp(named[index].name, name, length) == 0) return named[index].key;
  }
  wchar_t first = length > 0 ? name[0] : 0;
  if (first >= L'a' && first <= L'z') first = (wchar_t)(first - L'a' + L'A');
  if (length == 1) return (first >= L'A' && first <= L'Z') || (first >= L'0' && first <= L'9') ? (WORD)first : 0;
  int number = length == 2 ? name[1] - L'0' : length == 3 ? (name[1] - L'0') * 10 + name[2] - L'0' : 0;
  return first == L'F' && number >= 1 && number <= 12 ? (WORD)(VK_F1 + number - 1) : 0;
}

/** The keys of a text such as "ctrl+shift+e", in order. 0 where one is not known. */
static size_t readKeys(const wchar_t *text, WORD *keys) {
  size_t count = 0;
  while (count < MAX_INPUTS / 2) {
    const wchar_t *end = wcschr(text, L'+');
    size_t length = end == NULL ? wcslen(text) : (size_t)(end - text);
    keys[count] = findKey(text, length);
    if (keys[count++] == 0) return 0;
    if (end == NULL) return count;
    text = end + 1;
  }
  return 0;
}

/**
 * Brings a window to the front. Windows allows that to the thread that has the input, so this one joins it meanwhile.
 */
static bool bringToFront(HWND window) {
  DWORD own = GetCurrentThreadId();
  DWORD other = GetWindowThreadProcessId(GetForegroundWindow(), NULL);
  bool isJoined = other != 0 && other != own && AttachThreadInput(own, other, TRUE);
  BringWindowToTop(window);
  SetForegroundWindow(window);
  if (isJoined) AttachThreadInput(own, other, FALSE);
  for (int waited = 0; GetForegroundWindow() != window && waited < FOREGROUND_MS; waited += FOREGROUND_STEP_MS) {
    Sleep(FOREGROUND_STEP_MS);
  }
  return GetForegroundWindow() == window;
}

/** Presses keys together, as a person does, while the window stands in front. */
Refusal pressKeys(const Request *request, Answer *answer) {
  WORD keys[MAX_INPUTS / 2];
  INPUT inputs[MAX_INPUTS] = {0};
  const wchar_t *text = findTextField(request, "keys");
  HWND window = findHandleField(request, "window");
  (void)answer;
  size_t count = text == NULL ? 0 : readKeys(text, keys);
  if (count == 0) {
    return REFUSE("invalid_request", L"The operation \"key\" needs \"keys\" such as \"ctrl+e\" or \"enter\".");
  }
  if (window == NULL) return NO_WINDOW;
  if (!IsWindowEnabled(window)) {
    return REFUSE("failed", L"Another dialog stands in front of this window; end that one first.");
  }
  if (!isAnswering(window, MESSAGE_MS)) return NO_ANSWER;
  if (!bringToFront(window)) return REFUSE("failed", L"The window could not be brought to the front.");
  for (size_t index = 0; index < count * 2; index++) {
    bool isUp = index >= count;
    WORD key = isUp ? keys[count * 2 - 1 - index] : keys[index];
    inputs[index].type = INPUT_KEYBOARD;
    inputs[index].ki.wVk = key;
    inputs[index].ki.wScan = (WORD)MapVirtualKeyW(key, MAPVK_VK_TO_VSC);
    inputs[index].ki.dwFlags = isUp ? KEYEVENTF_KEYUP : 0;
  }
  UINT sent = SendInput((UINT)count * 2, inputs, sizeof(INPUT));
  return sent == count * 2 ? DONE : REFUSE("failed", L"The keys were not taken.");
}
