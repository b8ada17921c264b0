#ifndef BERTH_JSON_H
#define BERTH_JSON_H

#include "text.h"

/**
 * A reader of the trading server's lines: it finds members and items by their places in the text and copies nothing.
 */

/** The value of a member of an object, or NULL. */
const char *findMember(const char *object, const char *key);
/** The first item of an array, or NULL; then the one behind `item`. */
const char *firstItem(const char *array);
const char *nextItem(const char *item);
/** A text value; empty for anything else. */
void readJsonText(const char *value, wchar_t *text, size_t max);
double readJsonNumber(const char *value, double fallback);
bool isJsonTrue(const char *value);
/** Adds a text in quotes, escaped. */
void addJsonText(Text *text, const wchar_t *value);

#endif
