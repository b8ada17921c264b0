#include "messages.h"
#include "operations.h"

/** Threads that were found hung, so that the windows of one of them cost its patience only once. */
#define MAX_HUNG 32
#define HUNG_MS 500

typedef struct {
  Answer *answer;
  size_t count;
  bool isTruncated;
  DWORD hung[MAX_HUNG];
  size_t hungCount;
} Listing;

static bool isHung(Listing *listing, HWND window, DWORD thread) {
  for (size_t index = 0; index < listing->hungCount; index++) {
    if (listing->hung[index] == thread) return true;
  }
  if (isAnswering(window, HUNG_MS)) return false;
  if (listing->hungCount < MAX_HUNG) listing->hung[listing->hungCount++] = thread;
  return true;
}

/** The file name of the program that a process runs; empty where it may not be asked. */
static void readProgram(DWORD process, wchar_t *name) {
  wchar_t path[MAX_PATH * 2];
  DWORD size = MAX_PATH * 2;
  name[0] = 0;
  HANDLE handle = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, process);
  if (handle == NULL) return;
  if (QueryFullProcessImageNameW(handle, 0, path, &size)) {
    const wchar_t *base = wcsrchr(path, L'\\');
    wcsncpy(name, base == NULL ? path : base + 1, MAX_PATH - 1);
    name[MAX_PATH - 1] = 0;
  }
  CloseHandle(handle);
}

static void putWindow(Listing *listing, HWND window) {
  Answer *answer = listing->answer;
  wchar_t text[MAX_TEXT + 1] = L"";
  wchar_t class[257] = L"";
  wchar_t program[MAX_PATH];
  RECT rectangle = {0};
  DWORD process = 0;
  DWORD thread = GetWindowThreadProcessId(window, &process);
  GetClassNameW(window, class, 257);
  /* This reads what the system keeps of another process's window, without a message that a hung one would hold. */
  GetWindowTextW(window, text, MAX_TEXT + 1);
  GetWindowRect(window, &rectangle);
  readProgram(process, program);
  putOpening(answer, '{');
  putHandleMember(answer, "handle", window);
  putTextMember(answer, "class", class);
  putTextMember(answer, "title", text);
  putBoolMember(answer, "enabled", IsWindowEnabled(window));
  putHandleMember(answer, "owner", GetWindow(window, GW_OWNER));
  putNumberMember(answer, "pid", process);
  putTextMember(answer, "program", program);
  putKey(answer, "rect");
  putRectangle(answer, &rectangle);
  putBoolMember(answer, "hung", isHung(listing, window, thread));
  putClosing(answer, '}');
}

static BOOL CALLBACK takeWindow(HWND window, LPARAM parameter) {
  Listing *listing = (Listing *)parameter;
  size_t place = placeOf(listing->answer);
  if (!IsWindowVisible(window)) return TRUE;
  if (listing->count < MAX_ITEMS) putWindow(listing, window);
  if (listing->count == MAX_ITEMS || isOverfull(listing->answer)) {
    returnTo(listing->answer, place);
    listing->isTruncated = true;
    return FALSE;
  }
  listing->count++;
  return TRUE;
}

Refusal listWindows(const Request *request, Answer *answer) {
  Listing listing = {.answer = answer};
  (void)request;
  putKey(answer, "windows");
  putOpening(answer, '[');
  EnumWindows(takeWindow, (LPARAM)&listing);
  putClosing(answer, ']');
  if (listing.isTruncated) putBoolMember(answer, "truncated", true);
  return DONE;
}
