#ifndef BERTH_LISTS_H
#define BERTH_LISTS_H

#include <stdbool.h>
#include <windows.h>

#include "answer.h"

/**
 * A piece of another process's memory. The newer controls (list views, tabs) take pointers in their messages that
 * Windows does not carry over to another process: what they read and write has to lie in theirs.
 */
typedef struct {
  HANDLE process;
  char *address;
  /** Its pointers have 4 bytes: a 32-bit program, whose structures are laid out differently. */
  bool isNarrow;
} RemoteMemory;

/** False where the process of the window may not be entered. Close it in either case. */
bool openRemoteMemory(HWND window, RemoteMemory *memory);
void closeRemoteMemory(RemoteMemory *memory);

/** The lists whose items can be read and chosen. */
typedef enum { LIST_NONE, LIST_BOX, LIST_COMBO, LIST_VIEW, LIST_TABS } ListKind;

ListKind kindOfList(const wchar_t *class);
/** How many items a list has, and which one is selected (-1 for none). False without an answer in time. */
bool measureList(HWND control, ListKind kind, LRESULT *count, LRESULT *selected);
/**
 * The text of an item; the columns of a list view are joined by tabs.
 * `memory` is needed for list views and tabs only. False without an answer in time.
 */
bool readItem(HWND control, ListKind kind, const RemoteMemory *memory, LRESULT index, wchar_t *text);
/** Selects an item as a person does, and notifies the parent. */
bool chooseItem(HWND control, ListKind kind, const RemoteMemory *memory, LRESULT index);

#endif
