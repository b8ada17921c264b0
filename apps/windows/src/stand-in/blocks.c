#include "blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 16
#define MAX_PARTS 20000

static Part *newPart(const wchar_t *line, bool isBlock) {
  Part *part = calloc(1, sizeof *part);
  if (part == NULL) ExitProcess(1);
  part->line = _wcsdup(line);
  part->isBlock = isBlock;
  return part;
}

Part *newBlock(const wchar_t *name) { return newPart(name, true); }

void freePart(Part *part) {
  while (part != NULL) {
    Part *next = part->next;
    freePart(part->first);
    free(part->line);
    free(part);
    part = next;
  }
}

static void append(Part *block, Part *part) {
  Part **at = &block->first;
  while (*at != NULL) at = &(*at)->next;
  *at = part;
}

Part *parseBlocks(const Text *text) {
  wchar_t line[MAX_LINE];
  Part *open[MAX_DEPTH];
  Part *root = newBlock(L"");
  const wchar_t *at = text->chars;
  int depth = 0;
  int count = 0;
  open[0] = root;
  while (nextLine(&at, line) && count++ < MAX_PARTS) {
    size_t length = wcslen(line);
    bool isTag = length > 2 && line[0] == L'<' && line[length - 1] == L'>' && wcspbrk(line, L"= ") == NULL;
    if (isTag) line[length - 1] = 0;
    if (isTag && line[1] == L'/') {
      if (depth > 0 && wcscmp(open[depth]->line, line + 2) == 0) depth--;
    } else if (isTag && depth + 1 < MAX_DEPTH) {
      Part *block = newBlock(line + 1);
      append(open[depth], block);
      open[++depth] = block;
    } else if (line[0] != 0) {
      append(open[depth], newPart(line, false));
    }
  }
  Part *chart = findBlock(root, L"chart");
  if (chart != NULL) {
    Part **link = &root->first;
    while (*link != chart) link = &(*link)->next;
    *link = chart->next;
    chart->next = NULL;
  }
  freePart(root);
  return chart;
}

void writeBlock(const Part *block, Text *text) {
  addFormat(text, L"<%ls>\r\n", block->line);
  for (const Part *part = block->first; part != NULL; part = part->next) {
    if (part->isBlock) {
      writeBlock(part, text);
    } else {
      addText(text, part->line);
      addText(text, L"\r\n");
    }
  }
  addFormat(text, L"</%ls>\r\n", block->line);
}

Part *findBlock(const Part *block, const wchar_t *name) {
  for (Part *part = block->first; part != NULL; part = part->next) {
    if (part->isBlock && wcscmp(part->line, name) == 0) return part;
  }
  return NULL;
}

static Part *findPair(const Part *block, const wchar_t *key) {
  size_t length = wcslen(key);
  for (Part *part = block->first; part != NULL; part = part->next) {
    if (!part->isBlock && wcsncmp(part->line, key, length) == 0 && part->line[length] == L'=') return part;
  }
  return NULL;
}

const wchar_t *findValue(const Part *block, const wchar_t *key) {
  const Part *part = findPair(block, key);
  return part == NULL ? NULL : part->line + wcslen(key) + 1;
}

void setValue(Part *block, const wchar_t *key, const wchar_t *value) {
  wchar_t line[MAX_LINE];
  Part *part = findPair(block, key);
  _snwprintf(line, MAX_LINE - 1, L"%ls=%ls", key, value);
  line[MAX_LINE - 1] = 0;
  if (part != NULL) {
    free(part->line);
    part->line = _wcsdup(line);
    return;
  }
  Part **at = &block->first;
  while (*at != NULL && !(*at)->isBlock && wcschr((*at)->line, L'=') != NULL) at = &(*at)->next;
  part = newPart(line, false);
  part->next = *at;
  *at = part;
}

void removeBlocks(Part *block, const wchar_t *name) {
  Part **at = &block->first;
  while (*at != NULL) {
    Part *part = *at;
    if (!part->isBlock || wcscmp(part->line, name) != 0) {
      at = &part->next;
      continue;
    }
    *at = part->next;
    part->next = NULL;
    freePart(part);
  }
}

void insertBlock(Part *block, Part *child) {
  Part **at = &block->first;
  while (*at != NULL && !((*at)->isBlock && wcscmp((*at)->line, L"window") == 0)) at = &(*at)->next;
  child->next = *at;
  *at = child;
}
