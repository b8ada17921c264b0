#ifndef BERTH_TEXT_H
#define BERTH_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <windows.h>

/** Names, paths, values: what is longer is cut. */
#define MAX_NAME 512
/** One line of a file or journal. */
#define MAX_LINE 4200

/** A text that grows; zeroed, it is empty. */
typedef struct {
  wchar_t *chars;
  size_t length;
  size_t capacity;
} Text;

void addText(Text *text, const wchar_t *more);
/** A formatted piece of at most MAX_LINE characters; wide texts are %ls. */
void addFormat(Text *text, const wchar_t *format, ...);
void clearText(Text *text);
void freeText(Text *text);

/** Copies and cuts at MAX_NAME. */
void copyName(wchar_t *to, const wchar_t *from);
bool isSame(const wchar_t *a, const wchar_t *b);

/** Reads a file as its mark says; without one it is UTF-8 or, where it is not that, Windows-1252. At most 4 MB. */
bool readTextFile(const wchar_t *path, Text *text);
/** Writes UTF-16LE with its mark, or UTF-8. The folder is made. */
bool writeTextFile(const wchar_t *path, const Text *text, bool isWide);
/** Appends; a new UTF-16LE file gets its mark. */
void appendTextFile(const wchar_t *path, const Text *text, bool isWide);
void makeFolderOf(const wchar_t *path);
bool fileExists(const wchar_t *path);

/** Takes the next line, trimmed, into `line` (MAX_LINE characters). False at the end. */
bool nextLine(const wchar_t **at, wchar_t *line);

/** Folder and name joined with a backslash, into MAX_NAME characters. */
void joinPath(wchar_t *path, const wchar_t *folder, const wchar_t *name);
/** False for a relative path that climbs. */
bool isInside(const wchar_t *path);

char *toUtf8(const wchar_t *text);
void fromUtf8(wchar_t *to, size_t max, const char *from);

#endif
