#include "lists.h"

#include <windows.h>
#include <commctrl.h>
#include <stdint.h>
#include <string.h>

#include "messages.h"

#define MAX_COLUMNS 16
/** Where the text begins in the remote memory, behind the structure that points to it. */
#define TEXT_OFFSET 256
#define REMOTE_BYTES (TEXT_OFFSET + (MAX_TEXT + 1) * sizeof(wchar_t))

/** LVITEMW and TCITEMW as the other process lays them out. Both begin with words of 32 bits; `pointerAt` differs. */
typedef struct {
  uint32_t words[32];
} RemoteItem;

bool openRemoteMemory(HWND window, RemoteMemory *memory) {
  DWORD process = 0;
  BOOL isWow64 = FALSE;
  memset(memory, 0, sizeof *memory);
  GetWindowThreadProcessId(window, &process);
  memory->process = OpenProcess(PROCESS_VM_OPERATION | PROCESS_VM_READ | PROCESS_VM_WRITE | PROCESS_QUERY_INFORMATION,
                                FALSE, process);
  if (memory->process == NULL) return false;
  IsWow64Process(memory->process, &isWow64);
  memory->isNarrow = isWow64;
  memory->address = VirtualAllocEx(memory->process, NULL, REMOTE_BYTES, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE);
  return memory->address != NULL;
}

void closeRemoteMemory(RemoteMemory *memory) {
  if (memory->address != NULL) VirtualFreeEx(memory->process, memory->address, 0, MEM_RELEASE);
  if (memory->process != NULL) CloseHandle(memory->process);
}

ListKind kindOfList(const wchar_t *class) {
  static const struct {
    const wchar_t *class;
    ListKind kind;
  } known[] = {{L"ListBox", LIST_BOX},           {L"ComboLBox", LIST_BOX},       {L"ComboBox", LIST_COMBO},
               {WC_LISTVIEWW, LIST_VIEW},        {WC_TABCONTROLW, LIST_TABS}};
  for (size_t index = 0; index < sizeof known / sizeof known[0]; index++) {
    if (_wcsicmp(known[index].class, class) == 0) return known[index].kind;
  }
  return LIST_NONE;
}

bool measureList(HWND control, ListKind kind, LRESULT *count, LRESULT *selected) {
  switch (kind) {
    case LIST_BOX:
      return askWindow(control, LB_GETCOUNT, 0, 0, count) && askWindow(control, LB_GETCURSEL, 0, 0, selected);
    case LIST_COMBO:
      return askWindow(control, CB_GETCOUNT, 0, 0, count) && askWindow(control, CB_GETCURSEL, 0, 0, selected);
    case LIST_VIEW:
      return askWindow(control, LVM_GETITEMCOUNT, 0, 0, count) &&
             askWindow(control, LVM_GETNEXTITEM, (WPARAM)-1, LVNI_SELECTED, selected);
    case LIST_TABS:
      return askWindow(control, TCM_GETITEMCOUNT, 0, 0, count) && askWindow(control, TCM_GETCURSEL, 0, 0, selected);
    default:
      return false;
  }
}

/** Sends a message with a structure in the other process, and reads the text that it points to. */
static bool readRemoteText(HWND control, UINT message, LRESULT index, const RemoteMemory *memory, RemoteItem item,
                           size_t pointerAt, wchar_t *text) {
  char *textAddress = memory->address + TEXT_OFFSET;
  uint64_t pointer = (uint64_t)(ULONG_PTR)textAddress;
  size_t words = memory->isNarrow ? 1 : 2;
  wchar_t empty = 0;
  memcpy(&item.words[pointerAt], &pointer, words * sizeof(uint32_t));
  item.words[pointerAt + words] = MAX_TEXT;
  text[0] = 0;
  return WriteProcessMemory(memory->process, memory->address, &item, sizeof item, NULL) &&
         WriteProcessMemory(memory->process, textAddress, &empty, sizeof empty, NULL) &&
         askWindow(control, message, (WPARAM)index, (LPARAM)memory->address, NULL) &&
         ReadProcessMemory(memory->process, textAddress, text, MAX_TEXT * sizeof(wchar_t), NULL);
}

static LRESULT countColumns(HWND control) {
  LRESULT header = 0;
  LRESULT count = 0;
  if (!askWindow(control, LVM_GETHEADER, 0, 0, &header) || header == 0) return 1;
  if (!askWindow((HWND)header, HDM_GETITEMCOUNT, 0, 0, &count) || count < 1) return 1;
  return count > MAX_COLUMNS ? MAX_COLUMNS : count;
}

static bool readListViewItem(HWND control, const RemoteMemory *memory, LRESULT index, wchar_t *text) {
  static wchar_t cell[MAX_TEXT + 1];
  LRESULT columns = countColumns(control);
  size_t length = 0;
  for (LRESULT column = 0; column < columns; column++) {
    RemoteItem item = {{0}};
    item.words[2] = (uint32_t)column;
    if (!readRemoteText(control, LVM_GETITEMTEXTW, index, memory, item, memory->isNarrow ? 5 : 6, cell)) return false;
    cell[MAX_TEXT] = 0;
    if (column > 0 && length < MAX_TEXT) text[length++] = L'\t';
    for (size_t at = 0; cell[at] != 0 && length < MAX_TEXT; at++) text[length++] = cell[at];
  }
  text[length] = 0;
  return true;
}

/** Items of boxes are carried over by Windows itself; one that is too long for the buffer is not read. */
static bool readBoxItem(HWND control, UINT lengthMessage, UINT textMessage, LRESULT index, wchar_t *text) {
  LRESULT length = 0;
  text[0] = 0;
  if (!askWindow(control, lengthMessage, (WPARAM)index, 0, &length)) return false;
  if (length < 0 || length > MAX_TEXT) return true;
  return askWindow(control, textMessage, (WPARAM)index, (LPARAM)text, NULL);
}

bool readItem(HWND control, ListKind kind, const RemoteMemory *memory, LRESULT index, wchar_t *text) {
  RemoteItem item = {{TCIF_TEXT}};
  switch (kind) {
    case LIST_BOX:
      return readBoxItem(control, LB_GETTEXTLEN, LB_GETTEXT, index, text);
    case LIST_COMBO:
      return readBoxItem(control, CB_GETLBTEXTLEN, CB_GETLBTEXT, index, text);
    case LIST_VIEW:
      return readListViewItem(control, memory, index, text);
    case LIST_TABS:
      return readRemoteText(control, TCM_GETITEMW, index, memory, item, memory->isNarrow ? 3 : 4, text);
    default:
      return false;
  }
}

static bool chooseListViewItem(HWND control, const RemoteMemory *memory, LRESULT index) {
  RemoteItem item = {{LVIF_STATE}};
  item.words[3] = LVIS_SELECTED | LVIS_FOCUSED;
  item.words[4] = LVIS_SELECTED | LVIS_FOCUSED;
  return WriteProcessMemory(memory->process, memory->address, &item, sizeof item, NULL) &&
         askWindow(control, LVM_SETITEMSTATE, (WPARAM)index, (LPARAM)memory->address, NULL);
}

bool chooseItem(HWND control, ListKind kind, const RemoteMemory *memory, LRESULT index) {
  switch (kind) {
    case LIST_BOX:
      if (!askWindow(control, LB_SETCURSEL, (WPARAM)index, 0, NULL)) return false;
      notifyParent(control, LBN_SELCHANGE);
      return true;
    case LIST_COMBO:
      if (!askWindow(control, CB_SETCURSEL, (WPARAM)index, 0, NULL)) return false;
      notifyParent(control, CBN_SELCHANGE);
      return true;
    case LIST_VIEW:
      return chooseListViewItem(control, memory, index);
    case LIST_TABS:
      /* Unlike TCM_SETCURSEL this notifies the parent, which then shows the other page. */
      return askWindow(control, TCM_SETCURFOCUS, (WPARAM)index, 0, NULL);
    default:
      return false;
  }
}
