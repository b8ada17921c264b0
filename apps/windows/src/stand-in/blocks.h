#ifndef BERTH_BLOCKS_H
#define BERTH_BLOCKS_H

#include "text.h"

/** A part of a chart file: a line, or a block `<name>` … `</name>` with parts of its own. Unknown ones are kept. */
typedef struct Part {
  /** The whole line; of a block its name. */
  wchar_t *line;
  bool isBlock;
  struct Part *first;
  struct Part *next;
} Part;

/** The `<chart>` block of a text, or NULL. */
Part *parseBlocks(const Text *text);
Part *newBlock(const wchar_t *name);
void freePart(Part *part);
void writeBlock(const Part *block, Text *text);

Part *findBlock(const Part *block, const wchar_t *name);
/** The value of a key of the block itself, or NULL. */
const wchar_t *findValue(const Part *block, const wchar_t *key);
/** Sets a key in place; a new one goes behind the leading keys. */
void setValue(Part *block, const wchar_t *key, const wchar_t *value);
void removeBlocks(Part *block, const wchar_t *name);
/** Puts a block before the first `<window>`, else at the end. */
void insertBlock(Part *block, Part *child);

#endif
